/**
 * Time is injected, so that tests can control it. There are two kinds, and every use is one of them:
 *
 * - wall-clock time, which is stored, shown and compared with times written by others. It may jump: an operator sets
 * it, a machine wakes up. If several processes share a database, it is the database's
 * (`platform/db/database-clock.ts`).
 * - durations within this process: timeouts, cache lifetimes, windows, measurements. Monotonic.
 */
export interface Clock {
  /** Wall-clock time, in milliseconds since 1970. */
  nowMs(): number;
  /** Monotonic, in whole milliseconds since an arbitrary start: only for differences, never to be stored or shown. */
  steadyMs(): number;
  /** Calls periodically until the returned function is called; does not keep the process alive. */
  every(ms: number, call: () => void): () => void;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  steadyMs: () => Math.floor(performance.now()),
  every: (ms, call) => {
    const timer = setInterval(call, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};

export const nowSeconds = (clock: Clock): number => Math.floor(clock.nowMs() / 1000);

/** Advancing by more than this skips ahead: a year would be millions of calls. */
const walkedMs = 600_000;
/**
 * A process has lived for a moment when its clock is first read. Far from any wall-clock time, so that confusing the
 * two shows.
 */
const firstSteadyMs = 1_000;

export interface ManualClock extends Clock {
  /** Time passes. */
  advance(ms: number): void;
  /** Sets the wall clock forward or back; no time passes. */
  jump(ms: number): void;
}

/** A clock controlled by a test; scheduled calls run as it advances, each at its own time. */
export function manualClock(startMs = 1_700_000_000_000): ManualClock {
  let steady = firstSteadyMs;
  let aheadMs = startMs - steady;
  const repeated = new Set<{ ms: number; dueMs: number; call: () => void }>();
  const next = () => [...repeated].reduce((a, b) => (b.dueMs < a.dueMs ? b : a), { ms: 0, dueMs: Infinity, call() {} });
  return {
    nowMs: () => steady + aheadMs,
    steadyMs: () => steady,
    every: (ms, call) => {
      const one = { ms, dueMs: steady + ms, call };
      repeated.add(one);
      return () => void repeated.delete(one);
    },
    advance: (ms) => {
      const endMs = steady + ms;
      for (const one of repeated) one.dueMs = Math.max(one.dueMs, endMs - walkedMs);
      for (let due = next(); due.dueMs <= endMs; due = next()) {
        steady = due.dueMs;
        due.dueMs += due.ms;
        due.call();
      }
      steady = endMs;
    },
    jump: (ms) => {
      aheadMs += ms;
    },
  };
}
