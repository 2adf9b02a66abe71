import { sql } from 'kysely';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../log.ts';
import type { Db } from './tables.ts';

/** How long a machine may be wrong after waking up from sleep; the clock of a running process drifts less in a day. */
const askMs = 5_000;
/** Smaller differences between machines are normal and not worth a warning. */
const worthTellingMs = 2_000;

export interface DatabaseClock extends Clock {
  close(): void;
}

interface DatabaseClockDeps {
  db: Db;
  clock: Clock;
  log: Pick<Log, 'warn'>;
}

/**
 * PostgreSQL's time of day, for all processes that share the database, so that machines with wrong or changed clocks
 * still agree. Between two queries the monotonic clock advances the last answer.
 */
export async function openDatabaseClock(deps: DatabaseClockDeps): Promise<DatabaseClock> {
  const { clock } = deps;
  const first = await ask(deps);
  let aheadMs = Math.round((first.least + first.most) / 2);
  let told = false;

  const tell = () => {
    const differsMs = clock.nowMs() - clock.steadyMs() - aheadMs;
    const differs = Math.abs(differsMs) >= worthTellingMs;
    if (differs && !told)
      deps.log.warn({ differsMs }, "the clocks of this machine and the database differ; the database's clock is used");
    told = differs;
  };
  tell();

  let asking = false;
  const askAgain = async () => {
    if (asking) return;
    asking = true;
    try {
      // Clamped to the range of this answer: a slow answer is less precise than the one before.
      const { least, most } = await ask(deps);
      aheadMs = Math.min(Math.max(aheadMs, least), most);
      tell();
    } catch {
      // The database is unavailable, which is reported elsewhere; the clock keeps running.
    } finally {
      asking = false;
    }
  };
  const close = clock.every(askMs, () => void askAgain());
  return {
    nowMs: () => clock.steadyMs() + aheadMs,
    steadyMs: () => clock.steadyMs(),
    every: (ms, call) => clock.every(ms, call),
    close,
  };
}

/**
 * By how much the database's time is ahead of the monotonic clock: it was read at some moment between query and answer.
 */
async function ask({ db, clock }: DatabaseClockDeps): Promise<{ least: number; most: number }> {
  const askedMs = clock.steadyMs();
  const { rows } = await sql<{
    ms: number;
  }>`select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as ms`.execute(db);
  const dayMs = Number(rows[0]!.ms);
  return { least: dayMs - clock.steadyMs() - 1, most: dayMs - askedMs };
}
