import { sql } from 'kysely';
import { writeSync } from '../../platform/db/sqlite-dialect.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { spanColumns } from './span-sums.ts';
import { fileSomeSpans } from './sqlite-spans.ts';
import './tables.ts';

/** Arbitrary lock id: one process at a time rolls up spans. */
const lockNumber = 728_104_215;
/** A larger step would block SQLite's other writers. */
const movedAtOnce = 1_000;

/** The length of spans in seconds, the length they are merged into, and the age at which that happens. */
export const spanLengths = [
  { length: 300, next: 3_600, keptSeconds: 6 * 3_600 },
  { length: 3_600, next: 86_400, keptSeconds: 8 * 86_400 },
] as const;

const columns = sql.raw(spanColumns.join(', '));
const added = sql.raw(spanColumns.map((name) => `sum(${name})`).join(', '));
const addedTo = sql.raw(spanColumns.map((name) => `${name} = usage_spans.${name} + excluded.${name}`).join(', '));
const names = sql.raw('user_id, starts_at, length, model_id, channel_id');

/**
 * Adds up new usage: on PostgreSQL from the notes of each statement, on SQLite from this process's memory or the log.
 */
export async function fileSpans(db: Db): Promise<void> {
  if (engineOf(db) === 'sqlite') {
    while (await writeSync(db, fileSomeSpans)) await new Promise(setImmediate);
    return;
  }
  await db.transaction().execute(async (tx) => {
    if (!(await isAlone(tx))) return;
    await sql`with noted as (delete from usage_spans_new returning *),
      counted as (select user_id, starts_at, model_id, channel_id, ${columns} from noted
        union all select 0, starts_at, model_id, channel_id, ${columns} from noted)
      insert into usage_spans (${names}, ${columns})
      select user_id, starts_at, 300, model_id, channel_id, ${added} from counted group by 1, 2, 4, 5 order by 1, 2, 4, 5
      on conflict (${names}) do update set ${addedTo}`.execute(tx);
  });
}

async function isAlone(tx: Db): Promise<boolean> {
  if (engineOf(tx) === 'sqlite') return true;
  const { rows } = await sql<{
    mine: boolean;
  }>`select pg_try_advisory_xact_lock(${sql.lit(lockNumber)}) as mine`.execute(tx);
  return rows[0]!.mine;
}

/**
 * Merges some of the spans that are old enough; false if there was nothing left. Each step moves rows in one
 * transaction, so that every entry is counted exactly once at any time, including late ones.
 */
export async function mergeOldSpans(db: Db, now: number): Promise<boolean> {
  for (const { length, next, keptSeconds } of spanLengths) {
    const upTo = Math.floor((now - keptSeconds) / next) * next;
    // Nearly always there is nothing to do: check without taking the lock.
    if ((await oldest(db, length, upTo)) === undefined) continue;
    if (await db.transaction().execute((tx) => mergeSome(tx, length, next, upTo))) return true;
  }
  return false;
}

async function oldest(db: Db, length: number, upTo: number): Promise<number | undefined> {
  const found = await db
    .selectFrom('usage_spans')
    .where('length', '=', length)
    .where('starts_at', '<', upTo)
    .select('starts_at')
    .orderBy('starts_at')
    .limit(1)
    .executeTakeFirst();
  return found?.starts_at;
}

async function mergeSome(tx: Db, length: number, next: number, upTo: number): Promise<boolean> {
  if (!(await isAlone(tx))) return false;
  const start = await oldest(tx, length, upTo);
  if (start === undefined) return false;
  const beyond = await tx
    .selectFrom('usage_spans')
    .where('length', '=', length)
    .where('starts_at', '=', start)
    .select('user_id')
    .orderBy('user_id')
    .offset(movedAtOnce)
    .limit(1)
    .executeTakeFirst();
  // All rows of a user are moved together, however many.
  const users = beyond === undefined ? sql`user_id >= 0` : sql`user_id <= ${beyond.user_id}`;
  const some = sql`length = ${length} and starts_at = ${start} and ${users}`;
  await sql`insert into usage_spans (${names}, ${columns})
    select user_id, ${sql.lit(Math.floor(start / next) * next)}, ${sql.lit(next)}, model_id, channel_id, ${columns} from usage_spans
    where ${some} order by user_id, model_id, channel_id
    on conflict (${names}) do update set ${addedTo}`.execute(tx);
  await sql`delete from usage_spans where ${some}`.execute(tx);
  return true;
}
