import type { Database } from 'bun:sqlite';
import { CompiledQuery, type Expression, type SqlBool, sql } from 'kysely';
import { prepared } from '../../platform/db/prepared.ts';
import { execute } from '../../platform/db/statement.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { isUnavailable } from '../../platform/durable/errors.ts';
import { fileJournal } from './journal.ts';

/*
 * On SQLite an entry of the usage log is only added to the indexes by user, key, model and time when it is "filed".
 * Entries are filed a few hundred at a time, and before a query: filed with its batch, an entry would change a page of
 * its own in two indexes if the batch has many users, and even a batch of one user would change two pages of each.
 * Filing an entry twice changes nothing. A trigger on the position up to which entries are filed adds them to the
 * totals of all users.
 */

interface Behind {
  upTo: number;
  last: number;
}

const findBehind = `select up_to as "upTo", coalesce((select max(id) from usage_logs), 0) as last from usage_filed`;
const fileEntries = 'update usage_logs set filed = 1 where id > ?1 and id <= ?2 and filed = 0';
const noteFiled = 'update usage_filed set up_to = ?1 where up_to < ?1';

/** Call inside a write transaction. */
export function indexEntriesNow(db: Database): void {
  const { upTo, last } = prepared<Behind, []>(db, findBehind).get()!;
  prepared(db, fileEntries).run(upTo, last);
  prepared(db, noteFiled).run(last);
}

const compiled = {
  findBehind: CompiledQuery.raw(findBehind),
  fileEntries: CompiledQuery.raw(fileEntries),
  noteFiled: CompiledQuery.raw(noteFiled),
};

/** Reading must work on a full disk: the newest entries appear once they can be filed. */
export const unlessUnavailable = (filing: Promise<void>): Promise<void> =>
  filing.catch((error) => {
    if (!isUnavailable(error)) throw error;
  });

/** Brings the indexes up to date; call before querying entries by user or key with `isFiled`. */
export const fileUsage = (db: Db): Promise<void> =>
  engineOf(db) === 'postgres' ? catchUp(db) : unlessUnavailable(fileAll(db));

/** Brings the log and its sums up to date, but not the indexes of SQLite; call before any other query of them. */
export const catchUp = (db: Db): Promise<void> => unlessUnavailable(fileJournal(db));

/** The same, but throws if entries cannot be filed. SQLite only. */
export async function fileAll(db: Db): Promise<void> {
  const { upTo, last } = (await execute<Behind>(db, compiled.findBehind, []))[0]!;
  if (upTo >= last) return;
  await execute(db, compiled.fileEntries, [upTo, last]);
  await execute(db, compiled.noteFiled, [last]);
}

/**
 * The condition SQLite needs to use its partial indexes by user and key; empty on PostgreSQL, whose indexes are
 * complete.
 */
export const isFiled = (db: Db): Expression<SqlBool>[] =>
  engineOf(db) === 'postgres' ? [] : [sql<SqlBool>`filed = 1`];
