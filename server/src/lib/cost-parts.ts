import { type Line, linesOf, type Price, picoUsdOf, picoUsdPerQuota, type Usage } from './money.ts';

export interface CostPart {
  part: Line['part'];
  /** In quota units. */
  cost: number;
}

/**
 * The cost of each part of a bill, in whole units that add up to exactly `costOf`: each is rounded down, and the
 * remaining units go to the parts that lost most.
 */
export function costParts(price: Price, usage: Usage): CostPart[] {
  const lines = linesOf(price, usage);
  let total = 0;
  for (const { count, rate } of lines) total += count * rate;
  return total <= Number.MAX_SAFE_INTEGER ? share(lines, total) : shareExactly(lines);
}

/** Runs for every request. */
function share(lines: readonly Line[], total: number): CostPart[] {
  const parts: CostPart[] = [];
  const lost: number[] = [];
  let left = Math.ceil(total / picoUsdPerQuota);
  for (const { part, count, rate } of lines) {
    const cost = Math.floor((count * rate) / picoUsdPerQuota);
    parts.push({ part, cost });
    lost.push((count * rate) % picoUsdPerQuota);
    left -= cost;
  }
  return left > 0 ? handOut(parts, lost, left) : parts;
}

/** For amounts that exceed a double's precision. */
function shareExactly(lines: readonly Line[]): CostPart[] {
  const unit = BigInt(picoUsdPerQuota);
  const exact = lines.map(picoUsdOf);
  const total = exact.reduce((sum, pico) => sum + pico, 0n);
  const parts = lines.map(({ part }, i) => ({ part, cost: Number(exact[i]! / unit) }));
  const given = exact.reduce((sum, pico) => sum + pico / unit, 0n);
  return handOut(
    parts,
    exact.map((pico) => Number(pico % unit)),
    Number((total + unit - 1n) / unit - given),
  );
}

function handOut(parts: CostPart[], lost: number[], units: number): CostPart[] {
  for (let left = units; left > 0; left -= 1) {
    const most = lost.indexOf(Math.max(...lost));
    parts[most]!.cost += 1;
    lost[most] = -1;
  }
  return parts;
}
