import { sql } from 'kysely';
import type { Db } from '../../../platform/db/tables.ts';
import { lockItems } from './items.ts';
import { type NewResponseRow, type ResponseRow, type Scope, within } from './tables.ts';

/** False if the id exists. */
export async function insertResponse(db: Db, row: NewResponseRow): Promise<boolean> {
  const made = await db
    .insertInto('kept_responses')
    .values(row)
    .onConflict((on) => on.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  return made !== undefined;
}

export async function findResponse(db: Db, scope: Scope, id: string): Promise<ResponseRow | null> {
  const own = db.selectFrom('kept_responses').selectAll().where('id', '=', id).where(within(scope));
  return (await own.executeTakeFirst()) ?? null;
}

/** One response of a chain, without its texts. */
export interface Link
  extends Pick<ResponseRow, 'id' | 'previous_id' | 'conversation_id' | 'place' | 'status' | 'items' | 'bytes'> {
  /** 1 if its row contains its items. */
  holds: number;
}

/**
 * A response and the ones it builds on, at most `most`. Each step joins by id alone and filters by owner afterwards:
 * combined, both engines might scan all of a user's rows at every step. For the same reason `cross join`, whose order
 * SQLite keeps.
 */
function chainFrom({ userId, keyId, since }: Scope, id: string, most: number) {
  const own = (row: string) => {
    const column = (name: string) => sql.ref(`${row}.${name}`);
    return sql`case when ${column('user_id')} = ${userId} and ${column('key_id')} = ${keyId}
      and ${column('touched_at')} > ${since} then 1 else 0 end`;
  };
  const holds = sql`case when r.contents is null then 0 else 1 end`;
  return sql`with recursive chain (id, previous_id, conversation_id, place, status, items, bytes, holds, own, depth) as (
      select r.id, r.previous_id, r.conversation_id, r.place, r.status, r.items, r.bytes, ${holds}, ${own('r')}, 1
      from kept_responses r where r.id = ${id}
      union all
      select r.id, r.previous_id, r.conversation_id, r.place, r.status, r.items, r.bytes, ${holds}, ${own('r')}, chain.depth + 1
      from chain cross join kept_responses r
      where r.id = chain.previous_id and chain.own = 1 and chain.depth < ${sql.lit(most)}
    )`;
}

/** Oldest first. */
export async function readChain(db: Db, scope: Scope, id: string, most: number): Promise<Link[]> {
  const { rows } = await sql<Link>`${chainFrom(scope, id, most)}
    select id, previous_id, conversation_id, place, status, items, bytes, holds from chain
    where own = 1 order by depth desc`.execute(db);
  return rows;
}

/** Written at most once a day per link: otherwise a chain of a thousand would be rewritten with every answer. */
const renewSeconds = 86_400;

/** Extends the retention of what is built on. */
export async function renewChain(db: Db, scope: Scope, id: string, now: number, most: number): Promise<void> {
  await sql`${chainFrom(scope, id, most)}
    update kept_responses set touched_at = ${now}
    where id in (select id from chain where own = 1) and touched_at <= ${now - renewSeconds}`.execute(db);
}

export async function deleteResponse(db: Db, scope: Scope, id: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const own = tx.deleteFrom('kept_responses').where('id', '=', id).where(within(scope));
    const { numDeletedRows } = await own.executeTakeFirst();
    if (numDeletedRows === 0n) return false;
    await dropContents(tx, [id]);
    return true;
  });
}

/** Items that a conversation also has stay there. */
async function dropContents(tx: Db, ids: string[]): Promise<void> {
  await lockItems(tx, 'response_id', ids);
  await tx
    .updateTable('kept_items')
    .set({ response_id: null, position: null })
    .where('response_id', 'in', ids)
    .where('conversation_id', 'is not', null)
    .execute();
  await tx.deleteFrom('kept_items').where('response_id', 'in', ids).execute();
  await tx.deleteFrom('kept_events').where('response_id', 'in', ids).execute();
}

/** Expired ones, of all users. */
export const deleteOldResponses = (db: Db, until: number, most: number): Promise<number> =>
  deleteSome(db, (tx) => tx.selectFrom('kept_responses').select('id').where('touched_at', '<=', until).limit(most));

export const deleteResponsesOf = (db: Db, userId: number, most: number): Promise<number> =>
  deleteSome(db, (tx) => tx.selectFrom('kept_responses').select('id').where('user_id', '=', userId).limit(most));

async function deleteSome(db: Db, which: (tx: Db) => { execute(): Promise<{ id: string }[]> }): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const ids = (await which(tx).execute()).map(({ id }) => id);
    if (ids.length === 0) return 0;
    await tx.deleteFrom('kept_responses').where('id', 'in', ids).execute();
    await dropContents(tx, ids);
    return ids.length;
  });
}
