import { sql } from 'kysely';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../log.ts';
import type { Db } from './tables.ts';

/** How long a machine that was asleep may be wrong after it wakes up; a process's own clock drifts by less in a day. */
const askMs = 5_000;
/** By less than this the clocks of machines differ anyway, and nobody needs to do anything about it. */
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
 * The time of day as PostgreSQL has it, for all processes that share it: a machine whose clock is set, stands wrong or was
 * asleep disagrees with nobody. Between two questions this process's steady time goes on from the last answer.
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
      deps.log.warn({ differsMs }, "this machine's clock and the database's differ; the database's counts");
    told = differs;
  };
  tell();

  let asking = false;
  const askAgain = async () => {
    if (asking) return;
    asking = true;
    try {
      // Kept where it may be right: an answer that took long says less than the one before.
      const { least, most } = await ask(deps);
      aheadMs = Math.min(Math.max(aheadMs, least), most);
      tell();
    } catch {
      // The database is away, which others tell of; time goes on.
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

/** How far the database's time of day is ahead of steady time: it was read at some moment between question and answer. */
async function ask({ db, clock }: DatabaseClockDeps): Promise<{ least: number; most: number }> {
  const askedMs = clock.steadyMs();
  const { rows } = await sql<{
    ms: number;
  }>`select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as ms`.execute(db);
  const dayMs = Number(rows[0]!.ms);
  return { least: dayMs - clock.steadyMs() - 1, most: dayMs - askedMs };
}
