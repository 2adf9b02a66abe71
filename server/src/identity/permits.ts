import { type Clock, nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { after } from '../lib/maybe-promise.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Hearing } from '../platform/shared/hearing.ts';
import { type Announcements, announcedLookup } from './announce.ts';
import type { KeyPlace, PlaceOfKey } from './key-lookup.ts';
import { isAllowance } from './store/application-keys.ts';
import { findKey } from './store/keys.ts';
import { findUser } from './store/users.ts';
import { statuses } from './user.ts';

/** Whose work it is: a user's, begun with a key or, null, in the browser. */
interface Worker {
  userId: number;
  keyId: number | null;
}

/** What they may do as things stand now. */
interface Permit {
  group: string;
  /** Empty means all. */
  models: string[];
  unlimited: boolean;
  /** The key is what the user lets an application spend: they agreed to what its scopes say, and no more. */
  application: boolean;
}

/**
 * For work that goes on after the request that began it, for a day or more: looked at before each step, since the key may be
 * deleted, disabled, narrowed or run out meanwhile, or have lost its place, and the user disabled. From memory, and anew when something changed.
 */
export interface Permits {
  /** Throws `invalid_api_key` when the key counts no more, `forbidden` when the user does not. */
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
  hearing: Hearing;
  placeOf: PlaceOfKey;
}

export function openPermits(deps: PermitDeps): Permits {
  const cache = announcedLookup<Standing>({
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
      throw new AppError('invalid_api_key', 'The API key of this work was deleted, disabled or has expired.');
    if (key && key.place.refusal !== null) throw new AppError('invalid_api_key', key.place.refusal);
    return permit;
  };
  return {
    of: ({ userId, keyId }) => after(cache.get(JSON.stringify({ userId, keyId })), check),
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
      application: row !== null && isAllowance(row),
    },
  };
}
