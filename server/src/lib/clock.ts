/** Time is passed in, so that tests can move it. */
export interface Clock {
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

export const nowSeconds = (clock: Clock): number => Math.floor(clock.nowMs() / 1000);

/** A clock that a test moves by hand. */
export function manualClock(startMs = 1_700_000_000_000): Clock & { advance(ms: number): void } {
  let now = startMs;
  return {
    nowMs: () => now,
    advance: (ms) => {
      now += ms;
    },
  };
}
