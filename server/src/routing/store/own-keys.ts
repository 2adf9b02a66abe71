import type { Selectable } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import type { OwnKeyTable } from './tables.ts';

/** A key that a user brought along for a provider. */
export interface OwnKeyRecord {
  id: number;
  userId: number;
  provider: string;
  name: string;
  sealed: string;
  /** Others may be asked, at their price, where this key does not help. */
  fallback: boolean;
  status: number;
  createdAt: number;
  updatedAt: number;
}

export type OwnKeyFields = Omit<OwnKeyRecord, 'id' | 'userId' | 'createdAt' | 'updatedAt'>;

const fromRow = (row: Selectable<OwnKeyTable>): OwnKeyRecord => ({
  id: row.id,
  userId: row.user_id,
  provider: row.provider,
  name: row.name,
  sealed: row.credential,
  fallback: row.fallback === 1,
  status: row.status,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toRow = (fields: OwnKeyFields) => ({
  provider: fields.provider,
  name: fields.name,
  credential: fields.sealed,
  fallback: fields.fallback ? 1 : 0,
  status: fields.status,
});

export async function listOwnKeys(db: Db, userId: number): Promise<OwnKeyRecord[]> {
  const rows = db.selectFrom('routing_own_keys').selectAll().where('user_id', '=', userId).orderBy('id');
  return (await rows.execute()).map(fromRow);
}

export async function listAllOwnKeys(db: Db): Promise<OwnKeyRecord[]> {
  return (await db.selectFrom('routing_own_keys').selectAll().orderBy('id').execute()).map(fromRow);
}

export async function findOwnKey(db: Db, id: number): Promise<OwnKeyRecord | null> {
  const row = await db.selectFrom('routing_own_keys').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? fromRow(row) : null;
}

export async function insertOwnKey(db: Db, userId: number, fields: OwnKeyFields, now: number): Promise<OwnKeyRecord> {
  const row = await db
    .insertInto('routing_own_keys')
    .values({ ...toRow(fields), user_id: userId, created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
  return fromRow(row);
}

/** Writes the given members only, in one statement; null when the user has no such key. */
export async function updateOwnKey(
  db: Db,
  userId: number,
  id: number,
  given: Partial<Omit<OwnKeyFields, 'provider'>>,
  now: number,
): Promise<OwnKeyRecord | null> {
  const row = await db
    .updateTable('routing_own_keys')
    .set({
      ...(given.name !== undefined && { name: given.name }),
      ...(given.sealed !== undefined && { credential: given.sealed }),
      ...(given.fallback !== undefined && { fallback: given.fallback ? 1 : 0 }),
      ...(given.status !== undefined && { status: given.status }),
      updated_at: now,
    })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();
  return row ? fromRow(row) : null;
}

export async function deleteOwnKey(db: Db, userId: number, id: number): Promise<boolean> {
  const gone = await db
    .deleteFrom('routing_own_keys')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return gone.numDeletedRows > 0n;
}

/** Puts every key under the first sealing key; returns how many were changed. */
export async function resealOwnKeys(db: Db, reseal: (sealed: string) => string): Promise<number> {
  return db.transaction().execute(async (tx) => {
    let changed = 0;
    for (const { id, sealed } of await listAllOwnKeys(tx)) {
      const credential = reseal(sealed);
      if (credential === sealed) continue;
      await tx.updateTable('routing_own_keys').set({ credential }).where('id', '=', id).execute();
      changed += 1;
    }
    return changed;
  });
}
