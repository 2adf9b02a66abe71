import { type Clock, nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { sha256Hex } from '../lib/hashing.ts';
import type { Db } from '../platform/db/tables.ts';
import { LastUsed } from '../platform/durable/batch.ts';
import { type Block, inBlocks, parseBlock } from '../platform/http/client-ip.ts';
import type { CacheSync } from '../platform/shared/cache-sync.ts';
import { type Announcements, invalidatedLookup } from './announcements.ts';
import type { KeyPrincipal } from './principals.ts';
import { type ApiKeyRow, findKeyByHash, touchKeys } from './store/keys.ts';
import { statuses } from './user.ts';

/** What a key belongs to, which may refuse it: the reason, and its invalidation tags. */
export interface KeyPlace {
  refusal: string | null;
  tags: readonly string[];
}
export type PlaceOfKey = (keyId: number) => KeyPlace | Promise<KeyPlace>;

/** Everything a request needs of a key, cached, so that none reads the database. */
interface WarmKey {
  principal: KeyPrincipal;
  keyId: number;
  /** Why it is not valid; null if it is. */
  refusal: string | null;
  placeTags: readonly string[];
  /** -1: never. */
  expiredTime: number;
  /** When the secret it was found by expires: a previous one does, the current one never. */
  secretEndsAt: number;
  allowedIps: Block[];
}

export interface KeyLookup {
  /** The key's owner and rights; throws 401 or 403. */
  identify(secret: string, from: { readonly ip: string }): KeyPrincipal | Promise<KeyPrincipal>;
  /** The same by a secret's digest, for substitutes of a key. */
  identifyDigest(digest: string, from: { readonly ip: string }): KeyPrincipal | Promise<KeyPrincipal>;
  /** Flushes last-used times, which are otherwise written periodically. */
  stop(): Promise<void>;
}

const mostDigests = 10_000;

export function openKeyLookup(deps: {
  db: Db;
  clock: Clock;
  announcements: Announcements;
  cacheSync: CacheSync;
  placeOf: PlaceOfKey;
}): KeyLookup {
  const { db, clock } = deps;
  const cache = invalidatedLookup<WarmKey>({
    ...deps,
    load: (hash) => loadKey(deps, hash),
    tagsOf: (key) => [`key:${key.keyId}`, `user:${key.principal.user.id}`, ...key.placeTags],
    max: 50_000,
  });
  /** Digests of keys in use, cached for seconds: a digest costs as much as the rest of authentication. */
  let digests = new Map<string, string>();
  const used = new LastUsed(
    (seen) => {
      digests = new Map();
      return touchKeys(db, seen);
    },
    () => {},
  );

  const admit = (key: WarmKey | null, from: { readonly ip: string }): KeyPrincipal => {
    if (!key) throw new AppError('invalid_api_key', 'Incorrect API key provided. Create one on the keys page.');
    const now = nowSeconds(clock);
    if (key.refusal !== null) throw new AppError('invalid_api_key', key.refusal);
    if (key.expiredTime !== -1 && key.expiredTime <= now)
      throw new AppError('invalid_api_key', 'This API key has expired.');
    if (key.secretEndsAt <= now) throw new AppError('invalid_api_key', 'This API key was rotated. Use its new secret.');
    if (key.allowedIps.length > 0 && !inBlocks(from.ip, key.allowedIps))
      throw new AppError('ip_not_allowed', 'This API key cannot be used from your IP address.');
    used.saw(key.keyId, now);
    return key.principal;
  };

  const admitLater = async (found: Promise<WarmKey | null>, from: { readonly ip: string }) => admit(await found, from);

  return {
    identify: (secret, from) => {
      const known = digests.get(secret);
      const digest = known ?? sha256Hex(secret);
      const found = cache.get(digest);
      if (found instanceof Promise) return admitLater(found, from);
      // Only of valid keys, so that guesses are not cached.
      if (found && !known && digests.size < mostDigests) digests.set(secret, digest);
      return admit(found, from);
    },
    identifyDigest: (digest, from) => admitLater(Promise.resolve(cache.get(digest)), from),
    stop: () => used.stop(),
  };
}

const cacheOf = ({ cache_seconds, cache_when }: ApiKeyRow): KeyPrincipal['cache'] =>
  cache_seconds === 0 ? undefined : { ttlSeconds: cache_seconds, when: cache_when === 'any' ? 'any' : 'temperature_0' };

async function loadKey({ db, placeOf }: { db: Db; placeOf: PlaceOfKey }, hash: string): Promise<WarmKey | null> {
  const found = await findKeyByHash(db, hash);
  if (!found) return null;
  const { key, user } = found;
  const isOn = key.status === 1 && user.status === statuses.enabled;
  const place = await placeOf(key.id);
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
    refusal: isOn ? place.refusal : 'This API key is disabled.',
    placeTags: place.tags,
    expiredTime: key.expired_time,
    secretEndsAt: key.key_hash === hash ? Number.POSITIVE_INFINITY : key.old_ends_at,
    allowedIps: (JSON.parse(key.allowed_ips) as string[]).map(parseBlock).filter((b): b is Block => b !== null),
  };
}
