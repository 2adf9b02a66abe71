import { sql } from 'kysely';
import type { Db } from '../../../platform/db/tables.ts';
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
