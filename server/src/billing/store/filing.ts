import type { Database } from 'bun:sqlite';
import { CompiledQuery, type Expression, type SqlBool, sql } from 'kysely';
import { prepared } from '../../platform/db/prepared.ts';
import { execute } from '../../platform/db/statement.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { isAway } from '../../platform/durable/errors.ts';

/*
 * On SQLite an entry of the usage log is in the indexes by user and by key only once it is filed. Entries are filed some
 * hundred at a time, and before somebody looks for them by user or key: filed at once, each entry of a batch of many users
 * would change a page of its own in both indexes. Filing an entry twice changes nothing. Noting how far it has come adds what
 * was filed to the totals of all users, by a trigger.
 */

interface Behind {
  upTo: number;
  last: number;
}

const findBehind = `select up_to as "upTo", coalesce((select max(id) from usage_logs), 0) as last from usage_filed`;
const fileEntries = 'update usage_logs set filed = 1 where id > ?1 and id <= ?2 and filed = 0';
const noteFiled = 'update usage_filed set up_to = ?1 where up_to < ?1';

/** Inside a transaction of the writer. */
export function fileEntriesNow(db: Database): void {
  const { upTo, last } = prepared<Behind, []>(db, findBehind).get()!;
  prepared(db, fileEntries).run(upTo, last);
  prepared(db, noteFiled).run(last);
}

const compiled = {
  findBehind: CompiledQuery.raw(findBehind),
  fileEntries: CompiledQuery.raw(fileEntries),
  noteFiled: CompiledQuery.raw(noteFiled),
};

/** Brings the indexes up to date; call before looking for entries by user or key with `isFiled`. */
export async function fileUsage(db: Db): Promise<void> {
  if (engineOf(db) === 'postgres') return;
  try {
    await fileAll(db);
  } catch (error) {
    // A full disk must keep nobody from reading: the newest entries show once they can be filed.
    if (!isAway(error)) throw error;
  }
}

/** The same for whoever cannot go on without. SQLite only. */
export async function fileAll(db: Db): Promise<void> {
  const { upTo, last } = (await execute<Behind>(db, compiled.findBehind, []))[0]!;
  if (upTo >= last) return;
  await execute(db, compiled.fileEntries, [upTo, last]);
  await execute(db, compiled.noteFiled, [last]);
}

/** The condition under which SQLite may use its indexes by user and key; nothing on PostgreSQL, which has whole ones. */
export const isFiled = (db: Db): Expression<SqlBool>[] =>
  engineOf(db) === 'postgres' ? [] : [sql<SqlBool>`filed = 1`];
