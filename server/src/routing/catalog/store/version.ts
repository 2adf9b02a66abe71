import type { Db } from '../../../platform/db/tables.ts';

export async function catalogVersion(db: Db): Promise<number> {
  const row = await db.selectFrom('catalog_state').select('version').where('id', '=', 1).executeTakeFirstOrThrow();
  return row.version;
}

/** Part of every transaction that changes the catalog; its row lock also serialises those transactions. */
export async function bumpVersion(tx: Db): Promise<void> {
  await tx
    .updateTable('catalog_state')
    .set((e) => ({ version: e('version', '+', 1) }))
    .where('id', '=', 1)
    .execute();
}
