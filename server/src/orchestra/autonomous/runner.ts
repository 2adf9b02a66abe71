import { randomString } from '../../lib/ids.ts';
import { engineOf } from '../../platform/db/tables.ts';
import type { Shared } from '../../platform/shared/port.ts';
import type { Deps } from '../ports.ts';
import { type Engine, startEngine } from './engine.ts';
import type { Lease } from './store/begin.ts';
import { claim, orphans, renew, runningEpochs } from './store/leases.ts';
import { findRun } from './store/runs.ts';

export interface RunnerTimes {
  leaseMs: number;
  renewMs: number;
  /** How often a holder looks whether its runs are still its own, for when a message is missed. */
  guardMs: number;
  /** How often orphaned runs are looked for. */
  adoptMs: number;
}

/** Contract §13: a lease of 15 s renewed every 5 s; cancel within a second; taken over within 30 s. */
export const runnerTimes: RunnerTimes = { leaseMs: 15_000, renewMs: 5_000, guardMs: 900, adoptMs: 2_000 };

const stopChannel = 'ms-run-stop';
export const eventChannel = (sessionRef: number): string => `ms-run-events:${sessionRef}`;
/** More at once would make a process that comes up start with a stampede; the rest follows with the next look. */
const adoptAtOnce = 50;
/** What a stop waits for engines that do not end. */
const stopWaitMs = 5_000;

export interface Runner {
  lease(): Lease;
  /** Starts work on a run that this process holds. */
  launch(ref: number): Promise<void>;
  /** Resolves when this process no longer works on the run; null when it does not. */
  settled(ref: number): Promise<void> | null;
  /** Makes whoever works on runs look whether they are still theirs. */
  announceStop(ref: number): Promise<void>;
  announceEvents(sessionRef: number, lastSeq: number): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Looks for orphaned runs and takes them over; by itself every two seconds. */
  adopt(): Promise<number>;
}

export function openRunner(deps: Deps & { shared: Shared }, times: RunnerTimes = runnerTimes): Runner {
  const { db, clock, shared } = deps;
  const owner = randomString(16);
  const own = new Map<number, Engine>();
  const timers: ReturnType<typeof setInterval>[] = [];
  let unsubscribe: (() => Promise<void>) | null = null;
  let stopping = false;

  const lease = (): Lease => ({ owner, untilMs: clock.nowMs() + times.leaseMs });
  const announceEvents = (sessionRef: number, lastSeq: number) =>
    void shared.publish(eventChannel(sessionRef), `${lastSeq}`).catch(() => {});

  const launch = async (ref: number): Promise<void> => {
    const run = await findRun(db, ref);
    if (run?.status !== 'running' || run.owner !== owner || stopping) return;
    const engine = startEngine(deps, run, (lastSeq) => announceEvents(run.sessionRef, lastSeq));
    own.get(ref)?.leave('lost');
    own.set(ref, engine);
    void engine.done.then(() => {
      if (own.get(ref) === engine) own.delete(ref);
    });
  };

  const keepOnly = (epochs: Map<number, number>, asked: [number, Engine][]) => {
    for (const [ref, engine] of asked) if (epochs.get(ref) !== engine.epoch) engine.leave('lost');
  };
  const guard = async () => {
    const asked = [...own];
    if (asked.length > 0) keepOnly(await runningEpochs(db, [...own.keys()]), asked);
  };
  const renewAll = async () => {
    const asked = [...own];
    if (asked.length > 0) keepOnly(await renew(db, [...own.keys()], lease()), asked);
  };
  const adopt = async (anyLease = false): Promise<number> => {
    if (stopping) return 0;
    let adopted = 0;
    for (const ref of await orphans(db, clock.nowMs(), adoptAtOnce, anyLease ? owner : undefined)) {
      if (!(await claim(db, ref, lease(), clock.nowMs(), anyLease))) continue;
      await launch(ref);
      adopted += 1;
    }
    return adopted;
  };
  /** Repeats without overlapping itself; a database that is away is asked again, and complained about once. */
  const every = (ms: number, what: string, act: () => Promise<unknown>) => {
    let busy = false;
    let failing = false;
    const timer = setInterval(async () => {
      if (busy) return;
      busy = true;
      try {
        await act();
        failing = false;
      } catch (error) {
        if (!failing) deps.warn(`runs: ${what} failed`, error);
        failing = true;
      }
      busy = false;
    }, ms);
    timer.unref();
    timers.push(timer);
  };

  return {
    lease,
    launch,
    settled: (ref) => own.get(ref)?.done ?? null,
    announceStop: (ref) => shared.publish(stopChannel, `${ref}`).catch(() => {}),
    announceEvents,
    adopt: () => adopt(),
    start: async () => {
      unsubscribe = await shared.subscribe(stopChannel, () => void guard().catch(() => {}));
      every(times.guardMs, 'the look at what is held', guard);
      every(times.renewMs, 'renewing leases', renewAll);
      every(times.adoptMs, 'taking over', () => adopt());
      // A SQLite file has one owner: whatever runs there belongs to a process that is gone.
      if (engineOf(db) === 'sqlite') while ((await adopt(true)) === adoptAtOnce);
    },
    stop: async () => {
      stopping = true;
      for (const timer of timers) clearInterval(timer);
      await unsubscribe?.();
      const engines = [...own.values()];
      for (const engine of engines) engine.leave('stopping');
      await Promise.race([Promise.all(engines.map(({ done }) => done)), Bun.sleep(stopWaitMs)]);
    },
  };
}
