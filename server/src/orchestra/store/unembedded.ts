import { sql } from 'kysely';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import './tables.ts';

/**
 * Takes so many of a user's documents without a vector, the newest first, that nobody who lives has taken: new ones, those
 * whose embedding failed, and those of a process that died over it. Nothing is waited for, and no two get the same.
 */
export async function claimUnembedded(db: Db, owner: string, userId: number, limit: number): Promise<number[]> {
  // A process that has left the list holds nothing.
  if (owner === '') return [];
  const free = sql`
    select document_id from ms_unembedded
    where user_id = ${userId} and (owner = '' or owner not in (select id from owners))
    order by document_id desc limit ${sql.lit(limit)}`;
  // PostgreSQL may look at a subquery again for each row, and would then take more than the limit.
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

/** What has a vector by now is not on the list any more; the rest is free for the next who looks. */
export async function releaseUnembedded(db: Db, owner: string, documentIds: number[]): Promise<void> {
  await db
    .updateTable('ms_unembedded')
    .set({ owner: '' })
    .where('document_id', 'in', documentIds)
    .where('owner', '=', owner)
    .execute();
}
