/** Reproducible random numbers: the same seed gives the same requests, even with other requests in parallel. */
export interface Random {
  /** 0 ≤ n < 1. */
  next(): number;
  /** 0 ≤ n < below. */
  below(below: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
}

/** mulberry32: 32 bits of state are enough for tests, and it is short. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (most: number) => Math.floor(next() * most);
  return { next, below, chance: (probability) => next() < probability, pick: (items) => items[below(items.length)]! };
}
