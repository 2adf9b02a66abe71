/** Time is passed in, so that tests can move it. */
export interface Clock {
  nowMs(): number;
  /** Calls again and again, each time after this long, until the function it returns is called; keeps no process alive. */
  every(ms: number, call: () => void): () => void;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  every: (ms, call) => {
    const timer = setInterval(call, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};

export const nowSeconds = (clock: Clock): number => Math.floor(clock.nowMs() / 1000);

/** Of a long way only the end is walked: a year would be millions of calls. */
const walkedMs = 600_000;

/** A clock that a test moves by hand; what it was asked to call is called on the way, each at its moment. */
export function manualClock(startMs = 1_700_000_000_000): Clock & { advance(ms: number): void } {
  let now = startMs;
  const repeated = new Set<{ ms: number; dueMs: number; call: () => void }>();
  const next = () => [...repeated].reduce((a, b) => (b.dueMs < a.dueMs ? b : a), { ms: 0, dueMs: Infinity, call() {} });
  return {
    nowMs: () => now,
    every: (ms, call) => {
      const one = { ms, dueMs: now + ms, call };
      repeated.add(one);
      return () => void repeated.delete(one);
    },
    advance: (ms) => {
      const endMs = now + ms;
      for (const one of repeated) one.dueMs = Math.max(one.dueMs, endMs - walkedMs);
      for (let due = next(); due.dueMs <= endMs; due = next()) {
        now = due.dueMs;
        due.dueMs += due.ms;
        due.call();
      }
      now = endMs;
    },
  };
}
