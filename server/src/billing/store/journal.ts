import { CompiledQuery, sql } from 'kysely';
import { integersText } from '../../platform/db/postgres-array.ts';
import { execute } from '../../platform/db/statement.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { isTransient } from '../../platform/durable/errors.ts';
import type { UsageRow } from './port.ts';
import { insertUsage } from './postgres-usage.ts';
import { setBalances } from './set-balances.ts';
import { packEntries, unpackEntries } from './usage-entries.ts';
import './tables.ts';

/*
 * On PostgreSQL a batch of charges only notes its log entries in the journal. They are filed in the background, many
 * batches at a time, and before the log or its sums are read: inserting a thousand entries at once takes a third of the
 * time per entry.
 */

/** Arbitrary lock id: one process at a time files, so that the balances in the log follow from each other. */
const lockNumber = 728_104_216;
/** A frozen process keeps the lock until the server ends its transaction: readers do without the newest entries then. */
const patienceMs = 2_000;
/** A larger step would keep the event loop busy for longer. */
export const batchesAtOnce = 64;

/** The plans that pass over what is left of filed batches only once, whatever the statistics of the moment say. */
const takeTurn =
  CompiledQuery.raw(`select set_config('lock_timeout', $1, true), set_config('enable_seqscan', 'off', true),
  set_config('enable_bitmapscan', 'off', true), pg_advisory_xact_lock(${lockNumber})`);

/**
 * The oldest batches, and what each of their payers has once they are charged and no later one is. The sums are made for
 * all payers together: one by one, as by the view `users_now`, each would read all changes and the rest of the journal.
 */
export const takeBatches = CompiledQuery.raw(`with gone as (
    delete from usage_journal where id in (select id from usage_journal order by id limit $1) returning id, entries, user_ids
  ), payers as (
    select id, quota from users where id in (select unnest(user_ids) from gone)
  ), parts as (
    select id, quota as amount from payers
    union all select user_id, kept from billing_purses where key_id = 0 and user_id in (select id from payers)
    union all select e.user_id, -e.paid from billing_writers w join billing_changes c on c.owner = w.owner,
      unnest(c.user_ids, c.key_ids, c.paid) as e(user_id, key_id, paid) where e.key_id = 0
    union all select e.user_id, e.paid from usage_journal j, unnest(j.user_ids, j.paid) as e(user_id, paid)
      where j.id > (select max(id) from gone)
    union all select user_id, amount from billing_holds where owner = '' and user_id in (select id from payers)
  )
  select id, entries, null::bigint as balance from gone
  union all select id, null, sum(amount)::bigint from parts where id in (select id from payers) group by id
  order by id`);

interface Taken {
  id: number;
  /** Null for a payer. */
  entries: string | null;
  balance: number | null;
}

/** Told of entries that cannot be filed, which are left out: an entry, or a batch that cannot be read. */
type Refused = (error: unknown, entry: UsageRow | string) => void;

const rethrow: Refused = (error) => {
  throw error;
};

/**
 * Files what is in the journal, and what other processes are filing right now. If a batch cannot be filed, `refused`
 * gets the entries that are to blame; without it, throws.
 */
export async function fileJournal(db: Db, refused?: Refused): Promise<void> {
  if (engineOf(db) === 'sqlite') return;
  while ((await nextBatch(db)) && (await fileSome(db, refused)));
}

const nextBatch = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('usage_journal').select('id').orderBy('id').limit(1).execute()).length > 0;

const findDue =
  CompiledQuery.raw(`select noted_at < now() - $1 * interval '1 ms' and pg_try_advisory_xact_lock(${lockNumber}) as due
  from (select noted_at from usage_journal order by id limit 1) as oldest`);

/** What is to be done about entries that were noted that long ago: nothing, if another process is filing right now. */
export async function whatIsDue(db: Db, afterMs: number): Promise<'nothing' | 'later' | 'now'> {
  const [oldest] = await execute<{ due: boolean }>(db, findDue, [afterMs]);
  if (!oldest) return 'nothing';
  return oldest.due ? 'now' : 'later';
}

/** False if nothing is left. */
async function fileSome(db: Db, refused: Refused | undefined): Promise<boolean> {
  try {
    return (await fileOldest(db, batchesAtOnce)) === batchesAtOnce;
  } catch (error) {
    if (!refused || isTransient(error)) throw error;
    return (await fileOldest(db, 1, refused)) === 1;
  }
}

const fileOldest = (db: Db, most: number, refused?: Refused): Promise<number> =>
  db.transaction().execute(async (tx) => {
    await execute(tx, takeTurn, [String(patienceMs)]);
    const taken = await execute<Taken>(tx, takeBatches, [most]);
    const batches = taken.filter(({ entries }) => entries !== null);
    const rows = batches.flatMap(({ entries }) => unpack(entries!, refused));
    setBalances(
      rows,
      new Map(taken.filter(({ entries }) => entries === null).map(({ id, balance }) => [id, balance!])),
    );
    if (refused) await insertEach(tx, rows, refused);
    else await insertUsage(tx, rows);
    return batches.length;
  });

function unpack(entries: string, refused: Refused = rethrow): UsageRow[] {
  try {
    return unpackEntries(entries);
  } catch (error) {
    refused(error, entries);
    return [];
  }
}

async function insertEach(tx: Db, rows: readonly UsageRow[], refused: Refused): Promise<void> {
  for (const row of rows) {
    await sql`savepoint entry`.execute(tx);
    try {
      await insertUsage(tx, [row]);
    } catch (error) {
      if (isTransient(error)) throw error;
      await sql`rollback to savepoint entry`.execute(tx);
      refused(error, row);
    }
  }
}

/** Adds an entry that is charged by other statements of the transaction. */
export async function noteEntry(tx: Db, row: UsageRow): Promise<void> {
  const [users, paid] = row.quota > 0 ? [[row.user_id], [row.quota]] : [[], []];
  await sql`insert into usage_journal (entries, user_ids, paid)
    values (${packEntries([row])}, ${integersText(users)}::bigint[], ${integersText(paid)}::bigint[])`.execute(tx);
}

/** Whether the journal has an entry of this request. */
export async function isJournaled(db: Db, requestId: string): Promise<boolean> {
  if (engineOf(db) === 'sqlite') return false;
  const found = await sql`select 1 from usage_journal where position(${requestId} in entries) > 0 limit 1`.execute(db);
  return found.rows.length > 0;
}
