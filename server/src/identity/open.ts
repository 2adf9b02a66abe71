import type { Clock } from '../lib/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Route } from '../platform/http/route.ts';
import type { Shared } from '../platform/shared/port.ts';
import type { AccountDeps } from './accounts.ts';
import { type Announcements, openAnnouncements } from './announce.ts';
import { authenticatorsOf } from './authenticators.ts';
import { type KeyLookup, openKeyLookup } from './key-lookup.ts';
import { type Options, openOptions } from './options.ts';
import { accountRoutes } from './routes/account.ts';
import { adminRoutes } from './routes/admin.ts';
import { keyRoutes } from './routes/keys.ts';
import { openSessions } from './sessions.ts';
import { deleteExpiredSessions } from './store/sessions.ts';

export interface Identity {
  options: Options;
  announcements: Announcements;
  keys: KeyLookup;
  accounts: AccountDeps;
  authenticators: ReturnType<typeof authenticatorsOf>;
  routes: Route[];
  /** Ends what has run out, a bounded number at a time. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

const flushMs = 5_000;
const sweepBatch = 500;

export async function openIdentity(deps: {
  db: Db;
  shared: Shared;
  clock: Clock;
  baseUrl: string;
  webUrl: string;
  optionDefaults: Record<string, number>;
  /** Another process may write the same database. */
  othersWrite: boolean;
}): Promise<Identity> {
  const { db, shared, clock } = deps;
  const origins = [...new Set([new URL(deps.baseUrl).origin, new URL(deps.webUrl).origin])];
  const announcements = await openAnnouncements(shared);
  const options = await openOptions({ db, shared, clock, defaults: deps.optionDefaults });
  const https = deps.baseUrl.startsWith('https:');
  const sessions = openSessions({ db, shared, clock, announcements, https, othersWrite: deps.othersWrite });
  const keys = openKeyLookup({ db, shared, clock, announcements, othersWrite: deps.othersWrite });
  const accounts: AccountDeps = { db, shared, clock, options, sessions, announcements };
  const timer = setInterval(() => void keys.flush().catch(() => {}), flushMs);
  timer.unref?.();
  return {
    options,
    announcements,
    keys,
    accounts,
    authenticators: authenticatorsOf({ sessions, keys, origins }),
    routes: [...accountRoutes(accounts, origins), ...keyRoutes({ db, clock, announcements }), ...adminRoutes(accounts)],
    sweep: async () => {
      await deleteExpiredSessions(db, Math.floor(clock.nowMs() / 1000), sweepBatch);
    },
    stop: async () => {
      clearInterval(timer);
      await keys.flush();
      await options.close();
      await announcements.close();
    },
  };
}
