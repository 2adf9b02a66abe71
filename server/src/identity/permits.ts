import { type Clock, nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { thenMaybe } from '../lib/maybe-promise.ts';
import type { Db } from '../platform/db/tables.ts';
import type { CacheSync } from '../platform/shared/cache-sync.ts';
import { type Announcements, invalidatedLookup } from './announcements.ts';
import type { KeyPlace, PlaceOfKey } from './key-lookup.ts';
import { findKey } from './store/keys.ts';
import { findUser } from './store/users.ts';
import { statuses } from './user.ts';

/** The owner of background work: a user, with a key or, if null, from the browser. */
interface Worker {
  userId: number;
  keyId: number | null;
}

/** Current permissions. */
interface Permit {
  group: string;
  /** Empty: all. */
  models: string[];
  unlimited: boolean;
  /** The application whose allowance the key is: only what its scopes allow. Null for other keys. */
  application: number | null;
}

/**
 * For work that outlives its request, by a day or more: checked before each step, since the key may be deleted,
 * disabled, restricted, expired or displaced meanwhile, and the user disabled. Cached and invalidated.
 */
export interface Permits {
  /** Throws `invalid_api_key` if the key is no longer valid, `forbidden` if the user is not. */
  of(worker: Worker): Permit | Promise<Permit>;
}

interface Standing extends Worker {
  enabled: boolean;
  key: { enabled: boolean; expiredTime: number; place: KeyPlace } | null;
  permit: Permit;
}

interface PermitDeps {
  db: Db;
  clock: Clock;
  announcements: Announcements;
  cacheSync: CacheSync;
  placeOf: PlaceOfKey;
}

export function openPermits(deps: PermitDeps): Permits {
  const cache = invalidatedLookup<Standing>({
    ...deps,
    load: (name) => load(deps, JSON.parse(name) as Worker),
    tagsOf: ({ userId, keyId, key }) => [`user:${userId}`, `key:${keyId}`, ...(key?.place.tags ?? [])],
    max: 10_000,
  });
  const check = (standing: Standing | null): Permit => {
    if (!standing?.enabled) throw new AppError('forbidden', 'This account is disabled.');
    const { keyId, key, permit } = standing;
    const runOut = key && key.expiredTime !== -1 && key.expiredTime <= nowSeconds(deps.clock);
    if (keyId !== null && (!key?.enabled || runOut))
      throw new AppError('invalid_api_key', 'The API key used for this work was deleted, was disabled or has expired.');
    if (key && key.place.refusal !== null) throw new AppError('invalid_api_key', key.place.refusal);
    return permit;
  };
  return {
    of: ({ userId, keyId }) => thenMaybe(cache.get(JSON.stringify({ userId, keyId })), check),
  };
}

async function load({ db, placeOf }: PermitDeps, { userId, keyId }: Worker): Promise<Standing | null> {
  const user = await findUser(db, userId);
  if (!user) return null;
  const row = keyId === null ? null : await findKey(db, userId, keyId);
  return {
    userId,
    keyId,
    enabled: user.status === statuses.enabled,
    key: row && { enabled: row.status === 1, expiredTime: row.expired_time, place: await placeOf(row.id) },
    permit: {
      group: user.group,
      models: row ? (JSON.parse(row.models) as string[]) : [],
      unlimited: row ? row.unlimited_quota === 1 : true,
      application: row?.application_id ?? null,
    },
  };
}
