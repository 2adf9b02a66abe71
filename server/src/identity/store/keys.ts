import { type Generated, type Selectable, sql } from 'kysely';
import { countRows } from '../../platform/db/list-page.ts';
import type { Db } from '../../platform/db/tables.ts';
import { writerOfTimes } from '../../platform/db/write-times.ts';
import type { User } from '../user.ts';
import { holdSession } from './sessions.ts';
import { toUser } from './users.ts';

interface KeyColumns {
  id: Generated<number>;
  user_id: number;
  name: string;
  key_hash: string;
  /** Four characters after `sk-` and the last four, for display. */
  key_start: string;
  key_end: string;
  status: number;
  created_time: number;
  accessed_time: number;
  /** -1: never. */
  expired_time: number;
  /** Without what processes hold as allotments, like a user's balance. */
  remain_quota: number;
  used_quota: Generated<number>;
  unlimited_quota: number;
  /** JSON array of model ids; empty means all. */
  models: string;
  /** JSON array of CIDR blocks; empty means all. */
  allowed_ips: string;
}

/** Cache settings; not in the view. */
interface CacheColumns {
  /** 0: none. */
  cache_seconds: Generated<number>;
  cache_when: Generated<string>;
}

/** Also not in the view. */
interface FurtherColumns {
  /** The previous secret, during an overlap. */
  old_hash: Generated<string | null>;
  old_start: Generated<string>;
  old_end: Generated<string>;
  old_ends_at: Generated<number>;
  /** What cached answers would have cost, and their number. */
  saved_quota: Generated<number>;
  saved_requests: Generated<number>;
  /** The application that created it; null if a user did. */
  made_by: Generated<number | null>;
  /** JSON array of what managers of its organisation have set. */
  imposed: Generated<string>;
  /** Set for an application's allowance, which has no secret; null for real keys. */
  application_id: Generated<number | null>;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    api_keys: KeyColumns & CacheColumns & FurtherColumns;
    /** Including allotments of processes, and what they charged. */
    api_keys_now: KeyColumns;
  }
}

export type ApiKeyRow = Selectable<KeyColumns & CacheColumns & FurtherColumns>;

type NewKeyRow = Omit<ApiKeyRow, 'id' | 'used_quota' | keyof CacheColumns | keyof FurtherColumns> &
  Partial<Selectable<CacheColumns>> & { made_by: number | null };

/** Null if the requesting session has ended, as a key would outlive it. Call in a transaction. */
export async function insertKey(tx: Db, key: NewKeyRow, sessionId: number | null): Promise<ApiKeyRow | null> {
  if (sessionId !== null && !(await holdSession(tx, key.user_id, sessionId))) return null;
  return tx.insertInto('api_keys').values(key).returningAll().executeTakeFirstOrThrow();
}

/** With an existing secret. Null if it is already in use here. */
export async function insertKnownKey(tx: Db, key: NewKeyRow): Promise<{ id: number } | null> {
  const row = await tx
    .insertInto('api_keys')
    .values(key)
    .onConflict((c) => c.column('key_hash').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row ?? null;
}

/** By its current or previous secret, valid or not. */
export async function findKeyByHash(db: Db, hash: string): Promise<{ key: ApiKeyRow; user: User } | null> {
  const keys = db.selectFrom('api_keys').selectAll();
  const key =
    (await keys.where('key_hash', '=', hash).executeTakeFirst()) ??
    (await keys.where('old_hash', '=', hash).executeTakeFirst());
  if (!key) return null;
  const user = await db.selectFrom('users').selectAll().where('id', '=', key.user_id).executeTakeFirst();
  return user ? { key, user: toUser(user) } : null;
}

/** Keys with their remaining quotas. */
const keysNow = (db: Db) =>
  db
    .selectFrom('api_keys_now as n')
    .innerJoin('api_keys as k', 'k.id', 'n.id')
    .selectAll('n')
    .select(['k.cache_seconds', 'k.cache_when', 'k.old_hash', 'k.old_start', 'k.old_end', 'k.old_ends_at'])
    .select(['k.saved_quota', 'k.saved_requests', 'k.made_by', 'k.imposed', 'k.application_id']);

export async function findKeyById(db: Db, id: number): Promise<ApiKeyRow | null> {
  return (await keysNow(db).where('n.id', '=', id).executeTakeFirst()) ?? null;
}

export async function findKeysById(db: Db, ids: number[]): Promise<ApiKeyRow[]> {
  if (ids.length === 0) return [];
  return keysNow(db).where('n.id', 'in', ids).execute();
}

export async function listKeys(db: Db, userId: number): Promise<ApiKeyRow[]> {
  return keysNow(db)
    .where('n.user_id', '=', userId)
    .where('k.user_id', '=', userId)
    .where('k.application_id', 'is', null)
    .orderBy('n.id', 'desc')
    .limit(1000)
    .execute();
}

/** Everything a user's requests may be made with, including allowances. */
export async function keyIdsOf(db: Db, userId: number): Promise<number[]> {
  const rows = await db.selectFrom('api_keys').select('id').where('user_id', '=', userId).limit(1000).execute();
  return rows.map(({ id }) => id);
}

export const countKeys = (db: Db, userId: number): Promise<number> =>
  countRows(db.selectFrom('api_keys').where('user_id', '=', userId).where('application_id', 'is', null));

/** Including allowances, with which background work continues. */
export async function findKey(db: Db, userId: number, id: number): Promise<ApiKeyRow | null> {
  const row = await keysNow(db).where('n.id', '=', id).where('n.user_id', '=', userId).executeTakeFirst();
  return row ?? null;
}

export type KeyChange = Partial<
  Pick<
    ApiKeyRow,
    | 'name'
    | 'status'
    | 'expired_time'
    | 'remain_quota'
    | 'unlimited_quota'
    | 'models'
    | 'allowed_ips'
    | 'cache_seconds'
    | 'cache_when'
  >
>;

/**
 * A new quota is the total remainder: allotments count, and are returned. `admit` sees the key as it is and as it would
 * be, may throw, and returns what is imposed then.
 */
export async function changeKey(
  db: Db,
  userId: number,
  id: number,
  change: KeyChange,
  admit: (before: ApiKeyRow, after: ApiKeyRow) => string,
): Promise<ApiKeyRow | null> {
  const { remain_quota, ...plain } = change;
  return db.transaction().execute(async (tx) => {
    const key = tx
      .updateTable('api_keys')
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .where('application_id', 'is', null);
    // Locks the row first, which other changes and everything that takes from the quota need.
    const locked = await key.set({ id }).returning('id').executeTakeFirst();
    const before = locked && (await findKey(tx, userId, id));
    if (!before) return null;
    const imposed = admit(before, { ...before, ...change });
    await key.set({ ...plain, imposed }).execute();
    if (remain_quota !== undefined)
      await sql`update api_keys set remain_quota = ${remain_quota} - cast(coalesce((select sum(p.kept)
          from billing_allotments p where p.user_id = api_keys.user_id and p.key_id = api_keys.id), 0) as bigint)
        where id = ${id}`.execute(tx);
    return findKey(tx, userId, id);
  });
}

/**
 * The current secret becomes the previous one, and the one before ends. Null if there is no such key, or the session
 * has ended.
 */
export async function replaceSecret(
  db: Db,
  { userId, id, sessionId }: { userId: number; id: number; sessionId: number | null },
  secret: Pick<ApiKeyRow, 'key_hash' | 'key_start' | 'key_end'>,
  oldEndsAt: number | null,
): Promise<ApiKeyRow | null> {
  return db.transaction().execute(async (tx) => {
    if (sessionId !== null && !(await holdSession(tx, userId, sessionId))) return null;
    const changed = await tx
      .updateTable('api_keys')
      .set((e) => ({
        ...secret,
        ...(oldEndsAt === null
          ? { old_hash: null, old_ends_at: 0 }
          : { old_hash: e.ref('key_hash'), old_start: e.ref('key_start'), old_end: e.ref('key_end') }),
        ...(oldEndsAt !== null && { old_ends_at: oldEndsAt }),
      }))
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .where('application_id', 'is', null)
      .returning('id')
      .executeTakeFirst();
    return changed ? findKey(tx, userId, id) : null;
  });
}

/** False if no previous secret is valid. */
export async function endOldSecret(db: Db, userId: number, id: number, now: number): Promise<boolean> {
  const ended = await db
    .updateTable('api_keys')
    .set({ old_hash: null, old_ends_at: 0 })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('old_ends_at', '>', now)
    .executeTakeFirst();
  return ended.numUpdatedRows > 0n;
}

export async function deleteKey(db: Db, userId: number, id: number): Promise<boolean> {
  const result = await db
    .deleteFrom('api_keys')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('application_id', 'is', null)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export const touchKeys = writerOfTimes('api_keys', 'accessed_time');
