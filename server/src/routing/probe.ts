import type { Scored } from './rank.ts';

/**
 * While a circuit is half-open, one request in this many tries its candidate first: often enough that a recovered
 * provider is back soon, rarely enough that few requests pay for a failed test with a retry.
 */
const probeEvery = 10;

/** Relative weight of a half-open candidate in a draw. */
export const halfOpenWeight = 0.1;

/**
 * Moves a half-open candidate to the front if a test is due. Healthy ones follow, so a failed test only costs the
 * request time. `counter` counts requests that could have tested one, and rotates between them.
 */
export function leadWithProbe(ranked: Scored[], counter: number): boolean {
  if (counter % probeEvery !== probeEvery - 1) return false;
  const testable: number[] = [];
  for (let i = 0; i < ranked.length; i++) if (isTestable(ranked, i)) testable.push(i);
  const at = testable[Math.floor(counter / probeEvery) % testable.length]!;
  const [probed] = ranked.splice(at, 1);
  ranked.unshift(probed!);
  return true;
}

/** Whether a half-open candidate is behind a healthy one; one that is already first gets tested anyway. */
export function awaitsProbe(ranked: readonly Scored[]): boolean {
  if (ranked[0]!.circuit !== 'closed') return false;
  for (let i = 1; i < ranked.length; i++) if (isTestable(ranked, i)) return true;
  return false;
}

/** Not if it violates the caller's soft limits. */
const isTestable = (ranked: readonly Scored[], i: number): boolean =>
  ranked[i]!.circuit === 'half_open' && (!ranked[i]!.overSoftLimit || ranked[0]!.overSoftLimit);
