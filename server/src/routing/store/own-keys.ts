import type { ExpressionBuilder, Selectable } from 'kysely';
import { findShaped } from '../../platform/db/find-row.ts';
import { resealing } from '../../platform/db/reseal.ts';
import type { Db, Tables } from '../../platform/db/tables.ts';
import { withLock } from '../../platform/db/with-lock.ts';
import type { OwnKeyTable } from './tables.ts';

/** The owner of a key. */
export type OwnKeyOwner = { userId: number } | { teamId: number };

/** A user's or a team's own key for a provider. */
export interface OwnKeyRecord {
  id: number;
  owner: OwnKeyOwner;
  provider: string;
  name: string;
  sealed: string;
  /** If the key does not work, the operator's keys may be used at their price. */
  fallback: boolean;
  status: number;
  createdAt: number;
  updatedAt: number;
}

export type OwnKeyFields = Omit<OwnKeyRecord, 'id' | 'owner' | 'createdAt' | 'updatedAt'>;

const fromRow = (row: Selectable<OwnKeyTable>): OwnKeyRecord => ({
  id: row.id,
  // Databases from before migration 0041, which can still be read, only have users.
  owner: row.team_id == null ? { userId: row.user_id } : { teamId: row.team_id },
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

const ownersColumns = (owner: OwnKeyOwner) =>
  'teamId' in owner ? { user_id: 0, team_id: owner.teamId } : { user_id: owner.userId, team_id: null };

/** A row belongs either to a user or to a team. */
const isOf = (owner: OwnKeyOwner) => (e: ExpressionBuilder<Tables, 'routing_own_keys'>) =>
  'teamId' in owner ? e('team_id', '=', owner.teamId) : e('user_id', '=', owner.userId);

export async function listOwnKeys(db: Db, owner: OwnKeyOwner): Promise<OwnKeyRecord[]> {
  const rows = db.selectFrom('routing_own_keys').selectAll().where(isOf(owner)).orderBy('id');
  return (await rows.execute()).map(fromRow);
}

export async function listAllOwnKeys(db: Db): Promise<OwnKeyRecord[]> {
  return (await db.selectFrom('routing_own_keys').selectAll().orderBy('id').execute()).map(fromRow);
}

export const findOwnKey = (db: Db, id: number): Promise<OwnKeyRecord | null> =>
  findShaped(db, 'routing_own_keys', { id }, fromRow);

const lockOwner = (tx: Db, owner: OwnKeyOwner): Promise<void> =>
  'teamId' in owner ? withLock(tx, 'ownKeysOfTeam', owner.teamId) : withLock(tx, 'ownKeysOfUser', owner.userId);

/** Null if the owner already has the maximum, which the same statement counts. Call in a transaction. */
export async function insertOwnKey(
  tx: Db,
  owner: OwnKeyOwner,
  fields: OwnKeyFields,
  { most, now }: { most: number; now: number },
): Promise<OwnKeyRecord | null> {
  await lockOwner(tx, owner);
  const row = { ...toRow(fields), ...ownersColumns(owner), created_at: now, updated_at: now };
  const columns = Object.keys(row) as (keyof typeof row)[];
  const already = tx
    .selectFrom('routing_own_keys')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where(isOf(owner));
  const added = await tx
    .insertInto('routing_own_keys')
    .columns(columns)
    .expression(
      tx
        .selectNoFrom((e) => columns.map((column) => e.val(row[column]).as(column)))
        .where((e) => e(already, '<', most)),
    )
    .returningAll()
    .executeTakeFirst();
  return added ? fromRow(added) : null;
}

/** Writes only the given fields, in one statement; null if the owner has no such key. */
export async function updateOwnKey(
  db: Db,
  owner: OwnKeyOwner,
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
    .where(isOf(owner))
    .returningAll()
    .executeTakeFirst();
  return row ? fromRow(row) : null;
}

export async function deleteOwnKey(db: Db, owner: OwnKeyOwner, id: number): Promise<boolean> {
  const gone = await db.deleteFrom('routing_own_keys').where('id', '=', id).where(isOf(owner)).executeTakeFirst();
  return gone.numDeletedRows > 0n;
}

export const resealOwnKeys = resealing('routing_own_keys', ['id'], 'credential');
