import type { Clock } from '../lib/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import type { CacheSync } from '../platform/shared/cache-sync.ts';
import type { Shared } from '../platform/shared/port.ts';
import { CachedById } from './cached-by-id.ts';
import type { Preferences } from './rank.ts';
import { readPreferences, writePreferences } from './store/preferences.ts';

export interface PreferencesCache {
  /** Null if the user never set any. Synchronous if cached. */
  get(userId: number): Preferences | null | Promise<Preferences | null>;
  update(userId: number, patch: Partial<Preferences>): Promise<Preferences>;
  close(): Promise<void>;
}

interface PreferencesDeps {
  db: Db;
  clock: Clock;
  shared: Shared;
  cacheSync: CacheSync;
}

const channel = 'routing:preferences';

export async function openPreferences({ db, ...deps }: PreferencesDeps): Promise<PreferencesCache> {
  const held = new CachedById({ ...deps, channel, load: (userId) => readPreferences(db, userId) });
  await held.subscribe();
  return {
    get: (userId) => held.get(userId),
    update: async (userId, patch) => {
      const now = Math.floor(deps.clock.nowMs() / 1000);
      const written = await writePreferences(db, userId, patch, now);
      await held.changed(userId);
      return written;
    },
    close: () => held.close(),
  };
}
