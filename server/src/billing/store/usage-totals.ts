import { type RawBuilder, sql } from 'kysely';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { fileAll } from './filing.ts';
import './tables.ts';

/*
 * Sums per user are many rows, so the usage of all users is also summed up per day and model. Both are written in the
 * background: on SQLite totals are updated by filing the log, on PostgreSQL by merging the sums that each process wrote
 * for itself. `usage_totals_all` includes the few rows not merged yet.
 */

/** Arbitrary lock id: one process at a time changes totals. */
const lockNumber = 728_104_214;
/** A larger step would block charges to the same sums. */
const filedAtOnce = 1_000;

/** The day from which totals are complete; before it there are only sums per user. */
export async function firstWholeDay(db: Db): Promise<number> {
  return (await db.selectFrom('usage_totals_whole').select('first_day').executeTakeFirstOrThrow()).first_day;
}

const sums = ['requests', 'prompt_tokens', 'completion_tokens', 'quota'];
const columns = sql.raw(sums.join(', '));
const added = sql.raw(sums.map((name) => `sum(${name})`).join(', '));
const addedTo = (table: string): RawBuilder<unknown> =>
  sql.raw(sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', '));
const replaced = sql.raw(sums.map((name) => `${name} = excluded.${name}`).join(', '));

/** Merges the sums this process wrote for itself into the shared ones. SQLite writes the shared ones directly. */
export async function fileSums(db: Db, owner: string): Promise<void> {
  if (engineOf(db) === 'sqlite') return;
  while ((await db.transaction().execute((tx) => fileSome(tx, owner))) === filedAtOnce) await new Promise(setImmediate);
}

async function fileSome(tx: Db, owner: string): Promise<number> {
  const { rows } = await sql<{
    mine: boolean;
  }>`select pg_try_advisory_xact_lock(${sql.lit(lockNumber)}) as mine`.execute(tx);
  if (!rows[0]!.mine) return 0;
  // A process that considers this one dead deletes its writer row first: it waits for this lock, or we find the row
  // gone. Charges only update the row and do not wait.
  const writer = await sql`select 1 from billing_writers where owner = ${owner} for key share`.execute(tx);
  if (writer.rows.length === 0) return 0;
  const moved = await sql`
    with due as materialized (
      select user_id, day, model_id, key_id from usage_days_open where owner = ${owner}
      order by user_id, day, model_id, key_id limit ${sql.lit(filedAtOnce)} for update skip locked
    ), moved as (
      delete from usage_days_open o using due d where o.owner = ${owner} and o.user_id = d.user_id and o.day = d.day
        and o.model_id = d.model_id and o.key_id = d.key_id returning o.*
    )
    insert into usage_days (user_id, day, model_id, key_id, ${columns})
    select user_id, day, model_id, key_id, ${columns} from moved order by user_id, day, model_id, key_id
    on conflict (user_id, day, model_id, key_id) do update set ${addedTo('usage_days')}`.execute(tx);
  await sql`with noted as (delete from usage_totals_new returning *)
    insert into usage_totals (day, model_id, ${columns})
    select day, model_id, ${added} from noted group by day, model_id order by day, model_id
    on conflict (day, model_id) do update set ${addedTo('usage_totals')}`.execute(tx);
  return Number(moved.numAffectedRows ?? 0);
}

/**
 * Adds up the last day before the complete ones; false if there was none left. These sums are older than the totals.
 * Each day is a separate step, so that nobody waits for a year of them.
 */
export const addUpPreviousDay = (db: Db): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    if (engineOf(tx) === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(lockNumber)})`.execute(tx);
    const whole = await firstWholeDay(tx);
    if (whole === 0) return false;
    const { rows } = await sql<{
      day: number | null;
    }>`select max(day) as day from usage_days where day < ${whole}`.execute(tx);
    const day = rows[0]!.day;
    if (day !== null) await addUp(tx, Number(day));
    await tx
      .updateTable('usage_totals_whole')
      .set({ first_day: Number(day ?? 0) })
      .execute();
    return day !== null;
  });

async function addUp(tx: Db, day: number): Promise<void> {
  if (engineOf(tx) === 'sqlite') {
    // The sums include unfiled entries: file them first, or filing would add them again.
    await fileAll(tx);
    await sql`insert into usage_totals (day, model_id, ${columns})
      select day, model_id, ${added} from usage_days where day = ${day} group by day, model_id
      on conflict (day, model_id) do update set ${replaced}`.execute(tx);
    return;
  }
  // A single statement sees one snapshot: for every change of the sums, both the sum and the note, or neither.
  await sql`with noted as (delete from usage_totals_new where day = ${day})
    insert into usage_totals (day, model_id, ${columns})
    select day, model_id, ${added} from usage_days where day = ${day} group by day, model_id
    on conflict (day, model_id) do update set ${replaced}`.execute(tx);
}
