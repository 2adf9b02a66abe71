import { CompiledQuery } from 'kysely';
import { all } from './statement.ts';
import type { Db } from './tables.ts';

/** Rows per statement: SQLite writes them on the thread that also serves streams. */
const mostAtOnce = 200;

/**
 * Writes when rows of a table were last used. Many rows in one parameter, so that the statement is always the same. On
 * PostgreSQL rows are locked by id, as everywhere, so that two processes cannot deadlock.
 */
export function writerOfTimes(
  table: string,
  column: string,
): (db: Db, seen: [id: number, time: number][]) => Promise<void> {
  const write = {
    postgres: CompiledQuery.raw(`with seen as materialized (
      select (value ->> 0)::bigint as id, (value ->> 1)::bigint as at from json_array_elements($1::text::json)
    ), taken as materialized (
      select id from ${table} where id in (select id from seen) order by id for no key update
    )
    update ${table} set ${column} = seen.at from seen, taken where ${table}.id = seen.id and taken.id = seen.id`),
    sqlite: CompiledQuery.raw(`update ${table} set ${column} = seen.at
      from (select value ->> 0 as id, value ->> 1 as at from json_each(?1)) as seen where ${table}.id = seen.id`),
  };
  return async (db, seen) => {
    for (let i = 0; i < seen.length; i += mostAtOnce) {
      if (i > 0) await new Promise(setImmediate);
      await all(db, write, [JSON.stringify(seen.slice(i, i + mostAtOnce))]);
    }
  };
}
