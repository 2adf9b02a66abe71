import type { Candidate } from './candidate.ts';
import type { CircuitState } from './circuit.ts';
import type { CredentialMeter } from './credential-meter.ts';
import { type KeyedCandidate, keyedCandidatesOf } from './keyed-candidates.ts';
import { orderByTiers } from './legacy.ts';
import { halfOpenWeight } from './probe.ts';

interface CredentialOrderDeps {
  meter: Pick<CredentialMeter, 'waitMs' | 'isCoolingDown'>;
  circuit(key: string, userId: number): CircuitState;
  random(): number;
}

interface Asking {
  userId: number;
  /** Circuit key that answered the conversation before. */
  boundTo: string | null;
}

const oneTier = (keyed: KeyedCandidate) => ({ priority: 0, weight: keyed.via.credential.weight });

/**
 * The order in which the keys of a candidate are tried: first the one with the conversation's prompt cache, then
 * healthy ones by weight, then half-open ones (which occasionally come first as a test), then those that the upstream
 * just rate-limited. Keys at their own limits are left out.
 */
export function credentialOrder(
  deps: CredentialOrderDeps,
  candidate: Candidate,
  { userId, boundTo }: Asking,
): readonly Candidate[] {
  const keyed = keyedCandidatesOf(candidate);
  if (keyed === null) return [candidate];
  const free = keyed.filter(({ via }) => deps.meter.waitMs(via.credential) === 0);
  const stateOf = (key: string) => {
    const state = deps.circuit(key, userId);
    return state === 'closed' && deps.meter.isCoolingDown(key) ? 'cooling_down' : state;
  };
  const byState = Map.groupBy(free, ({ key }) => stateOf(key));
  const closed = byState.get('closed') ?? [];
  const bound = closed.find(({ key }) => key === boundTo);
  const healthy = orderByTiers(
    closed.filter((keyed) => keyed !== bound),
    oneTier,
    deps.random,
  );
  const testable = byState.get('half_open') ?? [];
  const last = [...(byState.get('cooling_down') ?? []), ...(byState.get('open') ?? [])];
  if (bound) return [bound, ...healthy, ...testable, ...last];
  const testFirst = testable.length > 0 && deps.random() < halfOpenWeight;
  return testFirst ? [...testable, ...healthy, ...last] : [...healthy, ...testable, ...last];
}

/** How long until the first of its keys is below its limits again. */
export function limitsEndInMs(meter: Pick<CredentialMeter, 'waitMs'>, candidate: Candidate): number {
  const waits = keyedCandidatesOf(candidate)?.map(({ via }) => meter.waitMs(via.credential)) ?? [0];
  return Math.min(...waits);
}
