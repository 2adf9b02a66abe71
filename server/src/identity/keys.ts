import { z } from 'zod';
import { type Clock, nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { randomString } from '../lib/ids.ts';
import type { Db } from '../platform/db/tables.ts';
import { inTurn } from '../platform/db/with-lock.ts';
import { parseBlock } from '../platform/http/client-ip.ts';
import { shownName } from '../platform/http/shown-text.ts';
import type { Announcements } from './announcements.ts';
import { imposable, imposedAfter, type KeyChanger } from './imposed.ts';
import { type ApiKeyRow, changeKey, countKeys, deleteKey, insertKey, type KeyChange, listKeys } from './store/keys.ts';

/** Keeps lists and caches small, and stops runaway scripts. */
const mostKeys = 500;

const block = z.string().refine((text) => parseBlock(text) !== null, 'must be an IP address or a CIDR block');
const quota = z.number().int().min(0).max(1e15);
const expiry = z.number().int().min(-1).max(1e11);

/** Cached answers are at most a day old: the cache is bounded per day. */
const longestCacheSeconds = 86_400;
const cacheWhens = ['any', 'temperature_0'] as const;
const cacheSchema = z
  .object({
    ttl_seconds: z.number().int().min(1).max(longestCacheSeconds).describe('How long a cached answer is reused'),
    when: z
      .enum(cacheWhens)
      .default('temperature_0')
      .describe('Which requests to cache: all that can be cached, or only those with a temperature of 0'),
  })
  .nullable();

/** Fields of a new key; also the body of the OAuth endpoint, which ignores the last four. */
export const newKeySchema = z.object({
  name: shownName(50),
  expired_time: expiry.optional(),
  remain_quota: quota.optional(),
  unlimited_quota: z.boolean().optional(),
  models: z.array(z.string().min(1).max(200)).max(500).optional(),
  allowed_ips: z.array(block).max(100).optional(),
  cache: cacheSchema.optional(),
  status: z.union([z.literal(1), z.literal(2)]).optional(),
});
export const keyChangeSchema = newKeySchema.partial();
export type NewKey = z.infer<typeof newKeySchema>;

export const keyViewSchema = z
  .object({
    id: z.number().int(),
    name: z.string(),
    key: z.string(),
    status: z.number().int(),
    created_time: z.number().int(),
    accessed_time: z.number().int(),
    expired_time: z.number().int(),
    remain_quota: z.number().int(),
    used_quota: z.number().int(),
    unlimited_quota: z.boolean(),
    models: z.array(z.string()),
    allowed_ips: z.array(z.string()),
    cache: z
      .object({ ttl_seconds: z.number().int(), when: z.enum(cacheWhens) })
      .nullable()
      .describe('Caching of answers to identical requests; null for none'),
    saved_quota: z.number().int().describe('Cost saved by cached answers'),
    saved_requests: z.number().int().describe('Number of cached answers'),
    made_by: z.number().int().nullable().describe('Application that created it; null if created by a user'),
    imposed: z
      .array(z.enum(imposable))
      .describe('Fields set by a manager of its organisation, which its holder cannot loosen'),
    previous: z
      .object({ key: z.string(), ends_at: z.number().int() })
      .nullable()
      .describe('Previous secret, masked, while it is still valid'),
  })
  .meta({ id: 'ApiKey' });
export type KeyView = z.infer<typeof keyViewSchema>;

export interface KeyDeps {
  db: Db;
  clock: Clock;
  announcements: Announcements;
  /** Returns unused allotments of a key's quota. */
  recallKey(userId: number, keyId: number): Promise<void>;
}

/** In the form of the columns. */
const cacheColumns = (cache: z.infer<typeof cacheSchema>) =>
  cache === null ? { cache_seconds: 0 } : { cache_seconds: cache.ttl_seconds, cache_when: cache.when };

const cacheView = ({ cache_seconds, cache_when }: Pick<ApiKeyRow, 'cache_seconds' | 'cache_when'>): KeyView['cache'] =>
  cache_seconds === 0 ? null : { ttl_seconds: cache_seconds, when: cache_when === 'any' ? 'any' : 'temperature_0' };

const masked = (start: string, end: string): string => `sk-${start}**********${end}`;

export const keyView = (row: ApiKeyRow, now: number): KeyView => ({
  id: row.id,
  name: row.name,
  key: masked(row.key_start, row.key_end),
  status: row.status,
  created_time: row.created_time,
  accessed_time: row.accessed_time,
  expired_time: row.expired_time,
  remain_quota: row.remain_quota,
  used_quota: row.used_quota,
  unlimited_quota: row.unlimited_quota === 1,
  models: JSON.parse(row.models),
  allowed_ips: JSON.parse(row.allowed_ips),
  cache: cacheView(row),
  saved_quota: row.saved_quota,
  saved_requests: row.saved_requests,
  made_by: row.made_by,
  imposed: JSON.parse(row.imposed),
  previous: row.old_ends_at > now ? { key: masked(row.old_start, row.old_end), ends_at: row.old_ends_at } : null,
});

/** 0 and -1 both mean never; a past time is a mistake. */
function expiryOf(given: number | undefined, now: number): number {
  if (given === undefined || given <= 0) return -1;
  if (given <= now) throw new AppError('invalid_value', 'expired_time is in the past.', { param: 'expired_time' });
  return given;
}

/** The columns of a secret, which starts with `sk-`. */
export const secretColumns = (secret: string) => ({
  key_hash: sha256Hex(secret),
  key_start: secret.slice(3, 7),
  key_end: secret.slice(-4),
});

/** In plain text, and as columns. */
export function newSecret() {
  const secret = `sk-${randomString(48)}`;
  return { secret, columns: secretColumns(secret) };
}

/** Who creates a key: a signed-in user, or an application for one. */
export interface KeyMaker {
  userId: number;
  sessionId: number | null;
  applicationId?: number;
  /** In the transaction that creates the key: throws if the application no longer may. */
  requireStill?(tx: Db): Promise<void>;
}

/** The full key is only returned here. */
export async function createKey(deps: KeyDeps, maker: KeyMaker, input: NewKey): Promise<KeyView> {
  const { userId, sessionId, applicationId } = maker;
  const now = nowSeconds(deps.clock);
  const expired_time = expiryOf(input.expired_time, now);
  const { secret, columns } = newSecret();
  const key = {
    user_id: userId,
    name: input.name,
    ...columns,
    status: input.status ?? 1,
    created_time: now,
    accessed_time: 0,
    expired_time,
    remain_quota: input.remain_quota ?? 0,
    unlimited_quota: Number(input.unlimited_quota ?? input.remain_quota === undefined),
    models: JSON.stringify(input.models ?? []),
    allowed_ips: JSON.stringify(input.allowed_ips ?? []),
    ...cacheColumns(input.cache ?? null),
    made_by: applicationId ?? null,
  };
  const row = await inTurn(deps.db, 'apiKeys', userId, async (tx) => {
    await maker.requireStill?.(tx);
    if ((await countKeys(tx, userId)) >= mostKeys)
      throw new AppError('invalid_value', `You have reached the limit of ${mostKeys} keys. Delete some first.`);
    return insertKey(tx, key, sessionId);
  });
  if (!row) throw new AppError('not_logged_in', 'You are not logged in.');
  return { ...keyView(row, now), key: secret };
}

export async function keysOf(deps: KeyDeps, userId: number): Promise<KeyView[]> {
  const now = nowSeconds(deps.clock);
  return (await listKeys(deps.db, userId)).map((row) => keyView(row, now));
}

export async function updateKey(
  deps: KeyDeps,
  userId: number,
  id: number,
  input: z.infer<typeof keyChangeSchema>,
  by: KeyChanger = 'holder',
): Promise<KeyView> {
  const { expired_time, unlimited_quota, models, allowed_ips, cache, ...plain } = input;
  const change: KeyChange = {
    ...plain,
    ...(expired_time !== undefined && { expired_time: expiryOf(expired_time, nowSeconds(deps.clock)) }),
    ...(unlimited_quota !== undefined && { unlimited_quota: Number(unlimited_quota) }),
    ...(models && { models: JSON.stringify(models) }),
    ...(allowed_ips && { allowed_ips: JSON.stringify(allowed_ips) }),
    ...(cache !== undefined && cacheColumns(cache)),
  };
  const row = await changeKey(deps.db, userId, id, change, (before, after) =>
    JSON.stringify(imposedAfter(by, JSON.parse(before.imposed), before, after)),
  );
  if (!row) throw new AppError('not_found', 'There is no such API key.');
  await deps.announcements.changed(`key:${id}`);
  if (change.remain_quota !== undefined) await deps.recallKey(userId, id);
  return keyView(row, nowSeconds(deps.clock));
}

export async function removeKey(deps: KeyDeps, userId: number, id: number): Promise<void> {
  if (!(await deleteKey(deps.db, userId, id))) throw new AppError('not_found', 'There is no such API key.');
  await deps.announcements.changed(`key:${id}`);
}
