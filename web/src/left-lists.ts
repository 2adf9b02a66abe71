import type { AnyRouter } from '@tanstack/react-router';
import type { Search } from './search-params.ts';
import { onForget } from './session.ts';

/** The filters of each page when it was last seen in this tab, without what was open over it. */
const seen = new Map<string, Search>();
onForget(() => seen.clear());

/** Returns a function that ends it. */
export const keepLists = (router: AnyRouter): (() => void) =>
  router.subscribe('onResolved', ({ toLocation: { pathname, search } }) => {
    const { open: _, ...filters } = search as Search;
    seen.set(pathname, filters);
  });

export const filtersOf = (path: string): Search => seen.get(path) ?? {};
