/** Pseudo-random numbers in [0, 1) from text and seed (mulberry32 over a hash of the text). */
export function seeded(text: string, seed = 0): () => number {
  let state = (Bun.hash.xxHash32(text) ^ Math.imul(seed | 0, 0x9e3779b1)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const pick = <T>(from: readonly T[], random: () => number): T => from[Math.floor(random() * from.length)]!;
