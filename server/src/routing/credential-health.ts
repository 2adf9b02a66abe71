import type { Candidate } from './candidate.ts';
import type { CircuitState } from './circuit.ts';
import { circuitOf, keyedCandidatesOf } from './keyed-candidates.ts';
import type { RoutingParts } from './routing.ts';
import type { DayUse } from './store/credential-days.ts';

/** The health of a channel's credential. */
export interface CredentialHealth {
  /** Number of its models' circuits by state. */
  circuits: Record<CircuitState, number>;
  /** Its own limits currently block it. */
  atLimit: boolean;
  /** Counted if a channel has several credentials, or one with limits. */
  today: DayUse;
}

/** By id. A channel's only credential without limits is left out: it has the circuits and metrics of its channel. */
export async function credentialHealth({
  deps,
  breaker,
  meter,
}: Pick<RoutingParts, 'deps' | 'breaker' | 'meter'>): Promise<Map<number, CredentialHealth>> {
  const health = new Map<number, CredentialHealth>();
  for (const candidate of await deps.catalog.allCandidates())
    for (const { key, via } of keyedCandidatesOf(candidate) ?? []) {
      const { id } = via.credential;
      const known = health.get(id) ?? {
        circuits: { closed: 0, half_open: 0, open: 0 },
        atLimit: meter.waitMs(via.credential) > 0,
        today: meter.today(id),
      };
      known.circuits[breaker.state(key)] += 1;
      health.set(id, known);
    }
  return health;
}

/** The state of credentials and candidates, which pages of the catalog show as well. */
export const healthOfCatalog = (parts: Pick<RoutingParts, 'deps' | 'breaker' | 'meter'>) => ({
  credentialHealth: () => credentialHealth(parts),
  circuit: (candidate: Candidate): CircuitState => circuitOf(candidate, (key) => parts.breaker.state(key), undefined),
});
