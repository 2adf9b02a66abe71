import type { Selectable } from 'kysely';
import { deleteRows } from '../../../platform/db/delete-rows.ts';
import { findShaped } from '../../../platform/db/find-row.ts';
import { pageOfFew, type Range } from '../../../platform/db/list-page.ts';
import type { Db } from '../../../platform/db/tables.ts';
import type { ModelAliasTable } from './tables.ts';
import { bumpVersion } from './version.ts';

/** Another name for a model, or one name for several that are tried in order. */
export interface AliasRecord {
  id: number;
  name: string;
  models: string[];
  status: number;
  createdAt: number;
  updatedAt: number;
}

export type AliasFields = Omit<AliasRecord, 'id' | 'createdAt' | 'updatedAt'>;

const fromRow = (row: Selectable<ModelAliasTable>): AliasRecord => ({
  id: row.id,
  name: row.name,
  models: JSON.parse(row.models) as string[],
  status: row.status,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toRow = (fields: AliasFields) => ({
  name: fields.name,
  models: JSON.stringify(fields.models),
  status: fields.status,
});

export async function listAliases(db: Db): Promise<AliasRecord[]> {
  return (await db.selectFrom('model_aliases').selectAll().orderBy('name').execute()).map(fromRow);
}

export async function pageAliases(db: Db, range: Range): Promise<{ aliases: AliasRecord[]; total: number }> {
  const { rows, total } = await pageOfFew(db.selectFrom('model_aliases').selectAll().orderBy('name'), range);
  return { aliases: rows.map(fromRow), total };
}

export const findAlias = (db: Db, id: number): Promise<AliasRecord | null> =>
  findShaped(db, 'model_aliases', { id }, fromRow);

const isTaken = async (tx: Db, name: string, ownId: number | null): Promise<boolean> => {
  const twin = await tx.selectFrom('model_aliases').select('id').where('name', '=', name).executeTakeFirst();
  return twin !== undefined && twin.id !== ownId;
};

export const insertAlias = (db: Db, fields: AliasFields, now: number): Promise<AliasRecord | 'duplicate'> =>
  db.transaction().execute((tx) => insertAliasIn(tx, fields, now));

/** The same inside a transaction. */
export async function insertAliasIn(tx: Db, fields: AliasFields, now: number): Promise<AliasRecord | 'duplicate'> {
  // Its row lock serialises writers: a name that is free now stays free until the commit.
  await bumpVersion(tx);
  if (await isTaken(tx, fields.name, null)) return 'duplicate';
  const row = await tx
    .insertInto('model_aliases')
    .values({ ...toRow(fields), created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
  return fromRow(row);
}

/** Null if there is no such alias. */
export async function updateAlias(
  db: Db,
  id: number,
  given: Partial<AliasFields>,
  now: number,
): Promise<AliasRecord | 'duplicate' | null> {
  return db.transaction().execute(async (tx) => {
    await bumpVersion(tx);
    const old = await findAlias(tx, id);
    if (!old) return null;
    const fields = { ...old, ...given };
    if (await isTaken(tx, fields.name, id)) return 'duplicate';
    const row = await tx
      .updateTable('model_aliases')
      .set({ ...toRow(fields), updated_at: now })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return fromRow(row);
  });
}

export async function deleteAlias(db: Db, id: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await bumpVersion(tx);
    return deleteRows(tx, 'model_aliases', { id });
  });
}
