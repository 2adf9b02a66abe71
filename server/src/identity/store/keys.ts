import type { Generated, Selectable } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import { writerOfTimes } from '../../platform/db/write-times.ts';
import type { User } from '../user.ts';
import { holdSession } from './sessions.ts';
import { toUser } from './users.ts';

interface ApiKeysTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  key_hash: string;
  /** Four characters after `sk-` and the last four, for the masked form. */
  key_start: string;
  key_end: string;
  status: number;
  created_time: number;
  accessed_time: number;
  /** -1 never. */
  expired_time: number;
  /** Changed by the billing room alone, like a user's balance. */
  remain_quota: number;
  used_quota: Generated<number>;
  unlimited_quota: number;
  /** JSON array of model ids; empty means all. */
  models: string;
  /** JSON array of CIDR blocks; empty means all. */
  allowed_ips: string;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    api_keys: ApiKeysTable;
  }
}

export type ApiKeyRow = Selectable<ApiKeysTable>;

/** Null when the session that asks for it has ended: a key would outlive it. */
export async function insertKey(
  db: Db,
  key: Omit<ApiKeyRow, 'id' | 'used_quota'>,
  sessionId: number | null,
): Promise<ApiKeyRow | null> {
  return db.transaction().execute(async (tx) => {
    if (sessionId !== null && !(await holdSession(tx, key.user_id, sessionId))) return null;
    return tx.insertInto('api_keys').values(key).returningAll().executeTakeFirstOrThrow();
  });
}

export async function findKeyByHash(db: Db, hash: string): Promise<{ key: ApiKeyRow; user: User } | null> {
  const key = await db.selectFrom('api_keys').selectAll().where('key_hash', '=', hash).executeTakeFirst();
  if (!key) return null;
  const user = await db.selectFrom('users').selectAll().where('id', '=', key.user_id).executeTakeFirst();
  return user ? { key, user: toUser(user) } : null;
}

export async function findKeyById(db: Db, id: number): Promise<ApiKeyRow | null> {
  return (await db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

export async function listKeys(db: Db, userId: number): Promise<ApiKeyRow[]> {
  return db
    .selectFrom('api_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(1000)
    .execute();
}

export async function countKeys(db: Db, userId: number): Promise<number> {
  const row = await db
    .selectFrom('api_keys')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

export async function findKey(db: Db, userId: number, id: number): Promise<ApiKeyRow | null> {
  const row = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row ?? null;
}

export type KeyChange = Partial<
  Pick<ApiKeyRow, 'name' | 'status' | 'expired_time' | 'remain_quota' | 'unlimited_quota' | 'models' | 'allowed_ips'>
>;

export async function changeKey(db: Db, userId: number, id: number, change: KeyChange): Promise<ApiKeyRow | null> {
  if (Object.keys(change).length === 0) return findKey(db, userId, id);
  const row = await db
    .updateTable('api_keys')
    .set(change)
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export async function deleteKey(db: Db, userId: number, id: number): Promise<boolean> {
  const result = await db.deleteFrom('api_keys').where('id', '=', id).where('user_id', '=', userId).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export const touchKeys = writerOfTimes('api_keys', 'accessed_time');
