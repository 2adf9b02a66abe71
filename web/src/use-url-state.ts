import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useRef } from 'react';
import { notifyIgnored } from './components/notify.ts';
import { type Fits, fitting, isWhole } from './filter-values.ts';
import type { Search } from './search-params.ts';

/**
 * Keeps filters and paging in the URL, so that a view can be shared and the back button works:
 *   const [{ page, q }, set] = useUrlState({ page: '1', q: '' });  set({ q: 'x', page: '1' });
 * A value equal to its default is removed from the URL. Opening an overlay adds a history entry (`'push'`).
 * Values that do not fit, from an old link or typed by hand, are told, removed, and read as the default.
 */
export function useUrlState<T extends Record<string, string>>(
  defaults: T,
  fits: { readonly [name in keyof T]?: Fits } = {},
): [T, (changes: Partial<T>, step?: 'push' | 'replace') => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const given = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, [search[name] ?? value].flat()[0]]),
  ) as T;
  const { values, wrong } = fitting(given, defaults, fits);
  const set = useCallback(
    (changes: Partial<T>, step: 'push' | 'replace' = 'replace') => {
      const kept = (name: string, value: unknown) => (value === defaults[name] ? undefined : value);
      const changed = Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, kept(name, value)]));
      const next = (before: object) => ({ ...before, ...changed });
      // Keep the scroll position of the page below the drawer.
      navigate({ to: '.', search: next, replace: step === 'replace', ...(step === 'push' && { resetScroll: false }) });
    },
    [defaults, navigate],
  );
  const names = wrong.join(' ');
  const ignored = wrong.map((name) => `${name}=${given[name]}`).join(', ');
  useEffect(() => {
    if (names === '') return;
    notifyIgnored(ignored);
    set(Object.fromEntries(names.split(' ').map((name) => [name, defaults[name]])) as Partial<T>);
  }, [names, ignored, defaults, set]);
  return [values, set];
}

/** The `page` parameter of the URL, for DataTable's paging. */
export function usePage(): [number, (page: number) => void] {
  const [{ page }, set] = useUrlState(pageDefaults, pageFits);
  return [Number(page) || 1, (next) => set({ page: String(next) })];
}
const pageDefaults = { page: '1' };
const pageFits = { page: (value: string) => isWhole(value) && Number(value) > 0 };

/**
 * The id of the item opened over a list; empty if none is. Back closes it, and closing it goes back. A list that can
 * open two kinds of overlay gives the second another name.
 */
export function useOpened(name = 'open'): [string, (id: string) => void] {
  const [{ [name]: open = '' }, set] = useUrlState<Record<string, string>>({ [name]: '' });
  const { history } = useRouter();
  // False if the page was opened by a URL that names the item: then there is no history entry of ours to go back to.
  const stepped = useRef(false);
  const change = (id: string) => {
    if (id === '' && stepped.current) history.back();
    else set({ [name]: id }, id === '' ? 'replace' : 'push');
    stepped.current = id !== '';
  };
  return [open, change];
}
