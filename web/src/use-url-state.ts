import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Search } from './search-params.ts';

/**
 * Filters and paging live in the address, so that a view can be shared and the back button works:
 *   const [{ page, q }, set] = useUrlState({ page: '1', q: '' });  set({ q: 'x', page: '1' });
 * A value equal to its default leaves the address.
 */
export function useUrlState<T extends Record<string, string>>(defaults: T): [T, (changes: Partial<T>) => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const values = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, [search[name] ?? value].flat()[0]]),
  ) as T;
  const set = useCallback(
    (changes: Partial<T>) => {
      const kept = (name: string, value: unknown) => (value === defaults[name] ? undefined : value);
      const changed = Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, kept(name, value)]));
      navigate({ to: '.', search: (before: object) => ({ ...before, ...changed }), replace: true });
    },
    [defaults, navigate],
  );
  return [values, set];
}

/** `page` of the address, for DataTable's paging. */
export function usePage(): [number, (page: number) => void] {
  const [{ page }, set] = useUrlState(pageDefaults);
  const number = Number.parseInt(page, 10);
  return [number > 0 ? number : 1, (next) => set({ page: String(next) })];
}
const pageDefaults = { page: '1' };
