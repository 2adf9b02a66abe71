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
const batchesAtOnce = 32;

/** The oldest batches, and what each of their payers has once they are charged and no later one is. */
const takeBatches = CompiledQuery.raw(`with gone as (
    delete from usage_journal where id in (select id from usage_journal order by id limit $1) returning id, entries, user_ids
  ), payers as (
    select n.id, n.quota + coalesce((select sum(e.paid) from usage_journal j, unnest(j.user_ids, j.paid) as e(user_id, paid)
      where j.id > (select max(id) from gone) and e.user_id = n.id), 0)
      + coalesce((select sum(amount) from billing_holds h where h.user_id = n.id and h.owner = ''), 0) as balance
    from users_now n where n.id in (select unnest(user_ids) from gone)
  )
  select id, entries, null::bigint as balance from gone
  union all select id, null, balance::bigint from payers order by id`);

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
  (await db.selectFrom('usage_journal').select('id').limit(1).execute()).length > 0;

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
    await sql`select set_config('lock_timeout', ${String(patienceMs)}, true), pg_advisory_xact_lock(${sql.lit(lockNumber)})`.execute(
      tx,
    );
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
