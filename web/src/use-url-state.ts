import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useCallback, useRef } from 'react';
import type { Search } from './search-params.ts';

/**
 * Filters and paging live in the address, so that a view can be shared and the back button works:
 *   const [{ page, q }, set] = useUrlState({ page: '1', q: '' });  set({ q: 'x', page: '1' });
 * A value equal to its default leaves the address. What is opened over the page is a step of its own (`'push'`).
 */
export function useUrlState<T extends Record<string, string>>(
  defaults: T,
): [T, (changes: Partial<T>, step?: 'push' | 'replace') => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const values = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, [search[name] ?? value].flat()[0]]),
  ) as T;
  const set = useCallback(
    (changes: Partial<T>, step: 'push' | 'replace' = 'replace') => {
      const kept = (name: string, value: unknown) => (value === defaults[name] ? undefined : value);
      const changed = Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, kept(name, value)]));
      const next = (before: object) => ({ ...before, ...changed });
      // What lies below a drawer stays where it is.
      navigate({ to: '.', search: next, replace: step === 'replace', ...(step === 'push' && { resetScroll: false }) });
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

/**
 * What lies open over a list, by its id; nothing when it is empty. Back closes it, and closing it goes back.
 * A list that opens two things of what it shows names the other.
 */
export function useOpened(name = 'open'): [string, (id: string) => void] {
  const [{ [name]: open = '' }, set] = useUrlState<Record<string, string>>({ [name]: '' });
  const { history } = useRouter();
  // Whoever came by an address that names it has no step of ours to go back to.
  const stepped = useRef(false);
  const change = (id: string) => {
    if (id === '' && stepped.current) history.back();
    else set({ [name]: id }, id === '' ? 'replace' : 'push');
    stepped.current = id !== '';
  };
  return [open, change];
}
