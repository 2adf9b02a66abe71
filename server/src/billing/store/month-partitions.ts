import { sql } from 'kysely';
import { type Db, engineOf } from '../../platform/db/tables.ts';

/*
 * On PostgreSQL the usage log is partitioned by month: an old month is deleted by dropping its table, which is instant
 * and leaves no dead rows.
 */

/** Arbitrary lock id: one process at a time manages the partitions. */
const lockNumber = 728_104_212;
/** Lock timeout. If the log is busy for longer, the next sweep tries again. */
const mostWaiting = '2s';
/** How many months ahead partitions are created. */
const monthsAhead = 3;
/** If the default partition has more rows of a month, they stay there: moving them would block writers. */
const mostMoved = 20_000;

interface Month {
  name: string;
  /** Unix seconds, `from` inclusive, `upTo` exclusive. */
  from: number;
  upTo: number;
}

function monthOf(seconds: number, later = 0): Month {
  const date = new Date(seconds * 1000);
  const startOf = (months: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months) / 1000;
  const from = startOf(later);
  const name = `usage_logs_${new Date(from * 1000).toISOString().slice(0, 7).replace('-', '_')}`;
  return { name, from, upTo: startOf(later + 1) };
}

/** Creates the partitions of this and the coming months before they are needed. */
export async function createMonthPartitions(db: Db, now: number): Promise<void> {
  if (engineOf(db) === 'sqlite') return;
  const parts = await partsOf(db);
  for (let later = 0; later <= monthsAhead; later += 1) {
    const month = monthOf(now, later);
    if (!parts.some((part) => part.from <= month.from && part.upTo >= month.upTo))
      await createMonthPartition(db, month);
  }
}

/**
 * Creates the table separately and then attaches it, because creating it as a partition would lock out readers and
 * writers. Attaching checks the default partition, which must have no rows of the new one.
 */
const createMonthPartition = (db: Db, { name, from, upTo }: Month): Promise<void> =>
  alone(db, async (tx) => {
    const exists = await sql`select 1 from pg_class where oid = to_regclass(${name})`.execute(tx);
    if (exists.rows.length > 0) return;
    await sql`lock table usage_logs_rest in access exclusive mode`.execute(tx);
    const within = sql`created_at >= ${sql.lit(from)} and created_at < ${sql.lit(upTo)}`;
    const { rows } = await sql<{ n: number }>`select count(*) as n from
      (select 1 from usage_logs_rest where ${within} limit ${mostMoved + 1}) as found`.execute(tx);
    if (Number(rows[0]!.n) > mostMoved) return;
    await sql`create table ${sql.table(name)} (like usage_logs including defaults)`.execute(tx);
    await sql`with moved as (delete from usage_logs_rest where ${within} returning *)
      insert into ${sql.table(name)} select * from moved`.execute(tx);
    await sql`alter table usage_logs attach partition ${sql.table(name)}
      for values from (${sql.lit(from)}) to (${sql.lit(upTo)})`.execute(tx);
  });

/** Drops partitions that end before `before`. */
export async function dropPastPartitions(db: Db, before: number): Promise<void> {
  for (const { name, upTo } of await partsOf(db))
    if (upTo <= before) await alone(db, (tx) => sql`drop table if exists ${sql.table(name)}`.execute(tx));
}

/** All partitions but the default one; the one with rows from before partitioning has no lower bound. */
async function partsOf(db: Db): Promise<Month[]> {
  const { rows } = await sql<{ name: string; bound: string }>`select c.relname as name,
      pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'usage_logs'::regclass`.execute(db);
  return rows.flatMap(({ name, bound }) => {
    const [, from, upTo] = /FROM \('?(MINVALUE|-?\d+)'?\) TO \('?(-?\d+)'?\)$/.exec(bound) ?? [];
    if (upTo === undefined) return [];
    return [{ name, from: from === 'MINVALUE' ? Number.NEGATIVE_INFINITY : Number(from), upTo: Number(upTo) }];
  });
}

/** Does nothing if another process holds the lock or the log is busy for too long: the next sweep tries again. */
async function alone(db: Db, work: (tx: Db) => Promise<unknown>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{
      mine: boolean;
    }>`select pg_try_advisory_xact_lock(${sql.lit(lockNumber)}) as mine`.execute(tx);
    if (!rows[0]!.mine) return;
    await sql`set local lock_timeout = ${sql.lit(mostWaiting)}`.execute(tx);
    await work(tx);
  });
}
