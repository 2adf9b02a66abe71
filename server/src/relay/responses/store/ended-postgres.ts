import { all, statement } from '../../../platform/db/statement.ts';
import type { Db } from '../../../platform/db/tables.ts';
import type { EndedRows } from './tables.ts';

const responseFields = `id text, user_id bigint, key_id bigint, status text, model text, background bigint, previous_id text,
  response text, contents text, items bigint, bytes bigint, created_at bigint, touched_at bigint, ended_at bigint`;
const itemFields = `user_id bigint, key_id bigint, item_id text, response_id text, position bigint, made bigint, body text`;

const namesOf = (fields: string): string =>
  fields
    .split(',')
    .map((field) => field.trim().split(' ')[0])
    .join(', ');

/**
 * Rows as JSON arrays: one round trip and one commit for any number. Items keep their order, as the latest of an id
 * counts.
 */
const insertGroup = statement(`with made as (
    insert into kept_responses (${namesOf(responseFields)}) select ${namesOf(responseFields)}
    from json_to_recordset(($1::text)::json) as r(${responseFields})
    on conflict (id) do nothing returning id
  )
  insert into kept_items (${namesOf(itemFields)}) select ${namesOf(itemFields)}
  from json_to_recordset(($2::text)::json) as i(n bigint, ${itemFields})
  where response_id in (select id from made) order by n`);

/** All or nothing. */
export async function insertEndedPostgres(db: Db, group: EndedRows[]): Promise<void> {
  const seen = new Set<string>();
  // A duplicate response would get the items of both.
  const own = group.filter(({ row: { id } }) => !seen.has(id) && seen.add(id));
  const rows = own.map(({ row }) => row);
  const items = own.flatMap((ended) => ended.items);
  await all(db, insertGroup, [JSON.stringify(rows), JSON.stringify(items.map((item, n) => ({ ...item, n })))]);
}
