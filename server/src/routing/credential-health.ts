import type { Candidate } from './candidate.ts';
import type { CircuitState } from './circuit.ts';
import type { RoutingParts } from './routing.ts';
import type { DayUse } from './store/credential-days.ts';
import { circuitOf, waysOf } from './ways.ts';

/** How the credentials of channels are. */
export interface CredentialHealth {
  /** Circuits of its models by state. */
  circuits: Record<CircuitState, number>;
  /** Its limits keep it from being used right now. */
  atLimit: boolean;
  /** Counted where a channel has several, or one with limits. */
  today: DayUse;
}

/** By id; those that are alone and without limits have the circuits and numbers of their channel, and are not in it. */
export async function credentialHealth({
  deps,
  breaker,
  meter,
}: Pick<RoutingParts, 'deps' | 'breaker' | 'meter'>): Promise<Map<number, CredentialHealth>> {
  const health = new Map<number, CredentialHealth>();
  for (const candidate of await deps.catalog.allCandidates())
    for (const { key, via } of waysOf(candidate) ?? []) {
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

/** What pages of the catalog tell besides it: how credentials and candidates stand. */
export const standingIn = (parts: Pick<RoutingParts, 'deps' | 'breaker' | 'meter'>) => ({
  credentialHealth: () => credentialHealth(parts),
  circuit: (candidate: Candidate): CircuitState => circuitOf(candidate, (key) => parts.breaker.state(key), undefined),
});
