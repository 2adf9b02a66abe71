import type { Scored } from './rank.ts';

/**
 * Of the requests that come while a circuit is half-open, one in so many is led by its candidate: often enough that a
 * provider which has recovered is soon back, seldom enough that one which has not costs few requests a second try.
 */
const probeEvery = 10;

/** Weight of a half-open candidate in a draw, beside that of a closed one. */
export const halfOpenWeight = 0.1;

/**
 * Moves a half-open candidate to the front when it is time to test one. The healthy ones stand behind it, so the request
 * loses nothing but time if the test fails. `counter` counts requests that could have tested one; each gets its turn.
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

/** Whether a half-open candidate waits behind a healthy one; one that is first already is tested by being so. */
export function awaitsProbe(ranked: readonly Scored[]): boolean {
  if (ranked[0]!.circuit !== 'closed') return false;
  for (let i = 1; i < ranked.length; i++) if (isTestable(ranked, i)) return true;
  return false;
}

/** Not at the expense of a caller's own limits. */
const isTestable = (ranked: readonly Scored[], i: number): boolean =>
  ranked[i]!.circuit === 'half_open' && (!ranked[i]!.overSoftLimit || ranked[0]!.overSoftLimit);
