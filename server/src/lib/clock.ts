/**
 * Time is passed in, so that tests can move it. There are two kinds, and every use is one of them:
 *
 * - a time of day, which is stored, shown and compared with times that others wrote. It may jump: somebody sets it, a machine
 *   wakes up. Where several processes share a database, it is the database's (`platform/db/database-clock.ts`).
 * - a duration within this process: timeouts, lives of caches, windows, how long something took. Only ever goes forward.
 */
export interface Clock {
  /** The time of day, in milliseconds since 1970. */
  nowMs(): number;
  /** Whole milliseconds since some moment before this process did anything: for differences, never to be stored or told. */
  steadyMs(): number;
  /** Calls again and again, each time after this long, until the function it returns is called; keeps no process alive. */
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

/** Of a long way only the end is walked: a year would be millions of calls. */
const walkedMs = 600_000;
/** A process has lived for a moment when its clock is first asked. Far from any time of day, so that mixing the two shows. */
const firstSteadyMs = 1_000;

export interface ManualClock extends Clock {
  /** Time passes. */
  advance(ms: number): void;
  /** The time of day is set forward, or back, and no time passes. */
  jump(ms: number): void;
}

/** A clock that a test moves by hand; what it was asked to call is called on the way, each at its moment. */
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
