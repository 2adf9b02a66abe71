import type { Candidate, Credential, Via } from './candidate.ts';
import type { CircuitState } from './circuit.ts';

/** A candidate asked with one particular key. Its circuit is its own; it is ranked and measured as its candidate. */
export interface Way extends Candidate {
  via: Via;
}

/** Built once for each candidate; they go with the catalog's snapshot. */
const known = new WeakMap<Candidate, readonly Way[]>();

/**
 * The candidate with each key of its channel; null where there is one without limits, and the candidate is asked as it is.
 * Videos are made for minutes and asked for with the key in the channel's row: they know the first one only.
 */
export function waysOf(candidate: Candidate): readonly Way[] | null {
  const { credentials } = candidate.channel;
  if (credentials === undefined || candidate.type === 'video') return null;
  return known.get(candidate) ?? makeWays(candidate, credentials);
}

function makeWays(candidate: Candidate, credentials: readonly Credential[]): readonly Way[] {
  const made = credentials.map((credential) => {
    // A circuit that the channel has already goes on while there is but one key.
    const key = credentials.length === 1 ? candidate.key : `${candidate.key}|${credential.id}`;
    return wayOf(candidate, key, credential, false);
  });
  known.set(candidate, made);
  return made;
}

export function wayOf(base: Candidate, key: string, credential: Credential, own: boolean): Way {
  const { credentials: _, ...channel } = base.channel;
  return { ...base, key, channel: { ...channel, credential: credential.secret }, via: { base, credential, own } };
}

/** The keys of all circuits that a candidate has. */
export const circuitKeys = (candidate: Candidate): string[] =>
  waysOf(candidate)?.map(({ key }) => key) ?? [candidate.key];

const bestFirst: readonly CircuitState[] = ['closed', 'half_open', 'open'];

/** How a candidate stands with a user, or with anybody: as well as the best of its keys. */
export function circuitOf<U extends number | undefined>(
  candidate: Candidate,
  stateOf: (key: string, user: U) => CircuitState,
  user: U,
): CircuitState {
  const ways = waysOf(candidate);
  if (ways === null) return stateOf(candidate.key, user);
  let best = bestFirst.length - 1;
  for (const { key } of ways) best = Math.min(best, bestFirst.indexOf(stateOf(key, user)));
  return bestFirst[best]!;
}
