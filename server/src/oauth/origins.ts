import type { Announcements } from '../identity/announcements.ts';
import { CachedValue } from '../identity/cached-value.ts';
import type { Clock } from '../lib/clock.ts';
import { thenMaybe } from '../lib/maybe-promise.ts';
import type { Db } from '../platform/db/tables.ts';
import type { CacheSync } from '../platform/shared/cache-sync.ts';
import { redirectUrisInUse } from './store/applications.ts';

/** Origins of registered applications' redirect URIs, in memory. */
export interface Origins {
  has(origin: string): boolean | Promise<boolean>;
  /** Must be called after every change of an application; notifies other processes. */
  changed(): Promise<void>;
}

export function openOrigins(deps: {
  db: Db;
  clock: Clock;
  cacheSync: Pick<CacheSync, 'heard'>;
  announcements: Announcements;
}): Origins {
  const load = async () => originsIn(await redirectUrisInUse(deps.db));
  const origins = new CachedValue({ ...deps, tag: 'applications', load });
  return {
    has: (origin) => thenMaybe(origins.get(), (found) => found.has(origin)),
    changed: () => origins.changed(),
  };
}

/** Custom schemes of native applications are not web origins. */
function originsIn(lists: string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const list of lists)
    for (const uri of JSON.parse(list) as string[]) {
      const url = URL.parse(uri);
      if (url?.protocol === 'https:' || url?.protocol === 'http:') found.add(url.origin);
    }
  return found;
}
