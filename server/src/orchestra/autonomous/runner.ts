import { retryUntilWritten } from '../../platform/durable/lease.ts';
import type { Shared } from '../../platform/shared/port.ts';
import type { Deps } from '../ports.ts';
import { type Engine, startEngine } from './engine.ts';
import { claim, orphans, releaseLease, runningEpochs } from './store/leases.ts';
import { findRun } from './store/runs.ts';

/** How often a process checks that it still holds its runs: a cancel is noticed within a second without a message. */
export const guardMs = 900;

const stopChannel = 'ms-run-stop';
export const eventChannel = (sessionRef: number): string => `ms-run-events:${sessionRef}`;
/** Bounds the load when a process starts; the remaining orphans are adopted in the next round. */
const adoptAtOnce = 50;
/** How long a stop waits for engines that do not end. */
const stopWaitMs = 5_000;

export interface Runner {
  /** Starts working on a run that this process holds. */
  launch(ref: number): Promise<void>;
  /** Resolves when this process has stopped working on the run; null if it is not working on it. */
  settled(ref: number): Promise<void> | null;
  /** Tells every process to check whether it still holds its runs. */
  announceStop(ref: number): Promise<void>;
  announceEvents(sessionRef: number, lastSeq: number): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Takes over orphaned runs; also happens automatically when a process dies. */
  adopt(): Promise<number>;
}

export function openRunner(deps: Deps & { shared: Shared }, lookMs = guardMs): Runner {
  const { db, clock, shared, owners } = deps;
  const own = new Map<number, Engine>();
  /** Runs that this process stops working on and is about to release. */
  const leaving = new Set<Promise<void>>();
  let stopLooking = () => {};
  let unsubscribe: (() => Promise<void>) | null = null;
  let stopping = false;

  const announceEvents = (sessionRef: number, lastSeq: number) =>
    void shared.publish(eventChannel(sessionRef), `${lastSeq}`).catch(() => {});

  const launch = async (ref: number): Promise<void> => {
    const run = await findRun(db, ref);
    if (run?.status !== 'running' || run.owner !== owners.id || stopping) return;
    const engine = startEngine(deps, run, (lastSeq) => announceEvents(run.sessionRef, lastSeq));
    own.get(ref)?.leave('lost');
    own.set(ref, engine);
    const left = engine.done.then(() => {
      if (own.get(ref) === engine) own.delete(ref);
      return retryUntilWritten(
        owners,
        () => releaseLease(db, run),
        (error) => deps.warn('a run could not be released', error),
      );
    });
    leaving.add(left);
    void left.then(() => leaving.delete(left));
  };

  const guard = async () => {
    const asked = [...own];
    if (asked.length === 0) return;
    const epochs = await runningEpochs(db, [...own.keys()]);
    for (const [ref, engine] of asked)
      if (epochs.get(ref) !== engine.epoch) engine.leave(epochs.has(ref) ? 'lost' : 'ended');
  };
  let looking = false;
  let failing = false;
  /** One check at a time. If the database is unavailable, try again at the next tick and log only the first failure. */
  const look = async () => {
    if (looking) return;
    looking = true;
    try {
      await guard();
      failing = false;
    } catch (error) {
      if (!failing) deps.warn('runs: checking the held runs failed', error);
      failing = true;
    }
    looking = false;
  };
  const adopt = async (): Promise<number> => {
    if (stopping) return 0;
    let adopted = 0;
    for (const orphan of await orphans(db, adoptAtOnce)) {
      if (!(await claim(db, orphan, owners.id, clock.nowMs()))) continue;
      await launch(orphan.ref);
      adopted += 1;
    }
    return adopted;
  };

  return {
    launch,
    settled: (ref) => own.get(ref)?.done ?? null,
    announceStop: (ref) => shared.publish(stopChannel, `${ref}`).catch(() => {}),
    announceEvents,
    adopt,
    start: async () => {
      unsubscribe = await shared.subscribe(stopChannel, () => void guard().catch(() => {}));
      const timer = setInterval(() => void look(), lookMs);
      timer.unref();
      stopLooking = () => clearInterval(timer);
      owners.onLost(() => {
        for (const engine of own.values()) engine.leave('lost');
      });
      owners.onLook(adopt);
      while ((await adopt()) === adoptAtOnce);
    },
    stop: async () => {
      stopping = true;
      stopLooking();
      await unsubscribe?.();
      for (const engine of own.values()) engine.leave('stopping');
      await Promise.race([Promise.all(leaving), Bun.sleep(stopWaitMs)]);
    },
  };
}
