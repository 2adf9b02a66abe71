import { sql } from 'kysely';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import './tables.ts';

/**
 * Claims up to `limit` of a user's documents without a vector, newest first, that no live process has claimed: new
 * ones, those whose embedding failed, and those of a process that died. Never waits for a lock, and no two callers get
 * the same document.
 */
export async function claimUnembedded(db: Db, owner: string, userId: number, limit: number): Promise<number[]> {
  // An empty owner means that this process has left the list of owners; it must not claim anything.
  if (owner === '') return [];
  const free = sql`
    select document_id from ms_unembedded
    where user_id = ${userId} and (owner = '' or owner not in (select id from owners))
    order by document_id desc limit ${sql.lit(limit)}`;
  // PostgreSQL may evaluate a subquery again for each row, and would then claim more than the limit.
  const claim =
    engineOf(db) === 'postgres'
      ? sql<{ document_id: number }>`
          with free as materialized (${free} for update skip locked)
          update ms_unembedded u set owner = ${owner} from free where u.document_id = free.document_id
          returning u.document_id`
      : sql<{ document_id: number }>`
          update ms_unembedded set owner = ${owner} where document_id in (${free}) returning document_id`;
  return (await claim.execute(db)).rows.map((row) => row.document_id);
}

/** Documents that have a vector by now are no longer listed; the others can be claimed again. */
export async function releaseUnembedded(db: Db, owner: string, documentIds: number[]): Promise<void> {
  await db
    .updateTable('ms_unembedded')
    .set({ owner: '' })
    .where('document_id', 'in', documentIds)
    .where('owner', '=', owner)
    .execute();
}

/** Claimed documents that are not to be embedded after all. */
export async function dismissUnembedded(db: Db, owner: string, documentIds: number[]): Promise<void> {
  if (documentIds.length === 0) return;
  const own = db.deleteFrom('ms_unembedded').where('document_id', 'in', documentIds);
  await own.where('owner', '=', owner).execute();
}
