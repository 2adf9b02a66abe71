import { type RawBuilder, sql } from 'kysely';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { fileAll } from './filing.ts';
import './tables.ts';

/*
 * Sums per user are many rows, so the usage of all users is also summed up per day and model. Both are written in the
 * background: on SQLite totals are updated by filing the log, on PostgreSQL from notes that triggers write. `usage_totals_all`
 * includes the few notes not added yet.
 */

/** Arbitrary lock id: one process at a time changes totals. */
const lockNumber = 728_104_214;

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

/** Adds up what changed in the sums per user. On SQLite filing the log does it. */
export async function fileSums(db: Db): Promise<void> {
  if (engineOf(db) === 'postgres') await db.transaction().execute(fileNotes);
}

async function fileNotes(tx: Db): Promise<void> {
  const { rows } = await sql<{
    mine: boolean;
  }>`select pg_try_advisory_xact_lock(${sql.lit(lockNumber)}) as mine`.execute(tx);
  if (!rows[0]!.mine) return;
  await sql`with noted as (delete from usage_totals_new returning *)
    insert into usage_totals (day, model_id, ${columns})
    select day, model_id, ${added} from noted group by day, model_id order by day, model_id
    on conflict (day, model_id) do update set ${addedTo('usage_totals')}`.execute(tx);
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
