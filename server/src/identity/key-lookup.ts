import { type Clock, nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { sha256Hex } from '../lib/hashing.ts';
import type { Db } from '../platform/db/tables.ts';
import { LastUsed } from '../platform/durable/batch.ts';
import { type Block, inBlocks, parseBlock } from '../platform/http/client-ip.ts';
import type { Hearing } from '../platform/shared/hearing.ts';
import { type Announcements, announcedLookup } from './announce.ts';
import type { KeyPrincipal } from './principals.ts';
import { type ApiKeyRow, findKeyByHash, touchKeys } from './store/keys.ts';
import { statuses } from './user.ts';

/** What is known of a key while it is warm: everything a request needs, so that none reads the database. */
interface WarmKey {
  principal: KeyPrincipal;
  keyId: number;
  enabled: boolean;
  /** -1 never. */
  expiredTime: number;
  /** When the secret that it was found by stops counting: that of before does, the present one never. */
  secretEndsAt: number;
  allowedIps: Block[];
}

type RequirePlace = (keyId: number) => unknown | Promise<unknown>;

export interface KeyLookup {
  /** The key's owner and rights; throws 401 or 403. */
  identify(secret: string, from: { readonly ip: string }): KeyPrincipal | Promise<KeyPrincipal>;
  /** The same by the digest of a secret, for what stands for a key. */
  identifyDigest(digest: string, from: { readonly ip: string }): KeyPrincipal | Promise<KeyPrincipal>;
  /** Declares who knows where keys stand: throws for one whose place is gone, or no longer its user's. */
  requirePlace(require: RequirePlace): void;
  /** Writes when keys were last used, which otherwise happens now and then. */
  stop(): Promise<void>;
}

const mostDigests = 10_000;

export function openKeyLookup(deps: {
  db: Db;
  clock: Clock;
  announcements: Announcements;
  hearing: Hearing;
}): KeyLookup {
  const { db, clock } = deps;
  const cache = announcedLookup<WarmKey>({
    ...deps,
    load: (hash) => loadKey(db, hash),
    tagsOf: (key) => [`key:${key.keyId}`, `user:${key.principal.user.id}`],
    max: 50_000,
  });
  /** Of keys in use, for a few seconds: a digest costs as much as all the rest of knowing a caller. */
  let digests = new Map<string, string>();
  const used = new LastUsed(
    (seen) => {
      digests = new Map();
      return touchKeys(db, seen);
    },
    () => {},
  );

  let placeOf: RequirePlace = () => null;
  const admit = (key: WarmKey | null, from: { readonly ip: string }): KeyPrincipal | Promise<KeyPrincipal> => {
    if (!key) throw new AppError('invalid_api_key', 'Incorrect API key provided. Create one on the keys page.');
    const now = nowSeconds(clock);
    if (!key.enabled) throw new AppError('invalid_api_key', 'This API key is disabled.');
    if (key.expiredTime !== -1 && key.expiredTime <= now)
      throw new AppError('invalid_api_key', 'This API key has expired.');
    if (key.secretEndsAt <= now)
      throw new AppError('invalid_api_key', 'This API key has got a new secret. Use that one.');
    if (key.allowedIps.length > 0 && !inBlocks(from.ip, key.allowedIps))
      throw new AppError('ip_not_allowed', 'This API key may not be used from your address.');
    // At the door, since what costs nothing asks nobody else: files and answers of an organisation are read for free.
    const place = placeOf(key.keyId);
    used.saw(key.keyId, now);
    return place instanceof Promise ? place.then(() => key.principal) : key.principal;
  };

  const admitLater = async (found: Promise<WarmKey | null>, from: { readonly ip: string }) => admit(await found, from);

  return {
    identify: (secret, from) => {
      const known = digests.get(secret);
      const digest = known ?? sha256Hex(secret);
      const found = cache.get(digest);
      if (found instanceof Promise) return admitLater(found, from);
      // Warm keys only, so that guesses are not kept.
      if (found && !known && digests.size < mostDigests) digests.set(secret, digest);
      return admit(found, from);
    },
    identifyDigest: (digest, from) => admitLater(Promise.resolve(cache.get(digest)), from),
    requirePlace: (require) => {
      placeOf = require;
    },
    stop: () => used.stop(),
  };
}

const cacheOf = ({ cache_seconds, cache_when }: ApiKeyRow): KeyPrincipal['cache'] =>
  cache_seconds === 0 ? undefined : { ttlSeconds: cache_seconds, when: cache_when === 'any' ? 'any' : 'temperature_0' };

async function loadKey(db: Db, hash: string): Promise<WarmKey | null> {
  const found = await findKeyByHash(db, hash);
  if (!found) return null;
  const { key, user } = found;
  return {
    principal: {
      user,
      keyId: key.id,
      models: JSON.parse(key.models),
      unlimited: key.unlimited_quota === 1,
      cache: cacheOf(key),
      limitKey: `key:${key.id}`,
    },
    keyId: key.id,
    enabled: key.status === 1 && user.status === statuses.enabled,
    expiredTime: key.expired_time,
    secretEndsAt: key.key_hash === hash ? Number.POSITIVE_INFINITY : key.old_ends_at,
    allowedIps: (JSON.parse(key.allowed_ips) as string[]).map(parseBlock).filter((b): b is Block => b !== null),
  };
}
