import { type Clock, nowSeconds } from '../lib/clock.ts';
import type { OpenDb } from '../platform/db/open.ts';
import type { Log } from '../platform/log.ts';
import { beat, forgetOwners } from './store/holds.ts';
import type { HoldStore } from './store/port.ts';
import { beatSeconds, deadAfterSeconds, sweepHolds } from './sweep.ts';

export interface Heartbeat {
  /** More to do every few seconds. */
  onBeat(work: () => Promise<void>): void;
  sweep(): Promise<number>;
  stop(): Promise<void>;
  /** Takes this process off the list, so that what it still holds is free to be swept at once. */
  leave(): Promise<void>;
}

/** Forgotten owners are kept this long only so that nobody wonders; their holds are gone long before. */
const forgetAfterSeconds = 3_600;

interface HeartbeatDeps {
  database: OpenDb;
  store: HoldStore;
  owner: string;
  clock: Clock;
  log: Log;
}

/** One row per process says that it lives, instead of one write per hold. */
export async function startHeartbeat({ database, store, owner, clock, log }: HeartbeatDeps): Promise<Heartbeat> {
  const { db, engine } = database;
  const more: (() => Promise<void>)[] = [];
  const sweep = async () => {
    const swept = await sweepHolds(db, store, nowSeconds(clock));
    if (swept > 0) log.warn({ swept }, 'settled holds of processes that are gone');
    return swept;
  };
  await beat(db, owner, nowSeconds(clock));
  if (engine === 'sqlite') {
    // The data directory has one owner: whoever else is on the list is dead.
    await forgetOwners(db, { but: owner });
    await sweep();
  }

  /** When the database was away for everybody, the living must have time to say so before anyone sweeps their holds. */
  let beatingSince = nowSeconds(clock);
  const tick = async () => {
    try {
      await beat(db, owner, nowSeconds(clock));
    } catch (error) {
      beatingSince = Number.POSITIVE_INFINITY;
      log.warn({ error }, 'billing cannot reach the database');
      return;
    }
    beatingSince = Math.min(beatingSince, nowSeconds(clock));
    try {
      for (const work of more) await work();
      if (engine === 'sqlite' || nowSeconds(clock) - beatingSince >= deadAfterSeconds) await sweep();
      await forgetOwners(db, { notSeenSince: nowSeconds(clock) - forgetAfterSeconds });
    } catch (error) {
      log.warn({ error }, 'sweeping holds failed; will be tried again');
    }
  };
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(tick);
  }, beatSeconds * 1000);
  timer.unref();

  return {
    onBeat: (work) => more.push(work),
    sweep,
    stop: async () => {
      clearInterval(timer);
      await running;
    },
    leave: async () => {
      try {
        await forgetOwners(db, { only: owner });
      } catch (error) {
        log.warn({ error }, 'billing could not sign off; its holds will be swept once it counts as dead');
      }
    },
  };
}
