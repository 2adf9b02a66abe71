/** Random numbers that depend only on the seed and the names, so that runs are reproducible. */
export function randomOf(...names: (string | number)[]): () => number {
  let state = Bun.hash.xxHash32(names.join('|'));
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const pickOf = <T>(from: readonly T[], random: () => number): T => from[Math.floor(random() * from.length)]!;

/** Picks a name with a probability proportional to its weight. */
export function weighted<T extends string>(weights: Record<T, number>, random: () => number): T {
  const entries = Object.entries(weights) as [T, number][];
  let left = random() * entries.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [name, weight] of entries) {
    left -= weight;
    if (left < 0) return name;
  }
  return entries.at(-1)![0];
}

export const between = (low: number, high: number, random: () => number): number => low + (high - low) * random();

/** Normally distributed around zero. */
export const normal = (deviation: number, random: () => number): number =>
  deviation * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const list = [...items];
  for (let i = list.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    [list[i], list[j]] = [list[j]!, list[i]!];
  }
  return list;
}
