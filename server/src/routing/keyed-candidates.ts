import type { Candidate, Credential, Via } from './candidate.ts';
import type { CircuitState } from './circuit.ts';

/** A candidate called with one particular key. It has its own circuit, but is ranked and measured as its candidate. */
export interface KeyedCandidate extends Candidate {
  via: Via;
}

/** Built once per candidate; evicted with the catalog's snapshot. */
const known = new WeakMap<Candidate, readonly KeyedCandidate[]>();

/**
 * The candidate with each key of its channel; null if there is only one without limits and the candidate is called
 * directly.
 */
export function keyedCandidatesOf(candidate: Candidate): readonly KeyedCandidate[] | null {
  const { credentials } = candidate.channel;
  if (credentials === undefined) return null;
  return known.get(candidate) ?? makeKeyedCandidates(candidate, keysFor(candidate, credentials));
}

/** Videos take minutes and are fetched with the key in the channel's row, so they only use that one. */
const keysFor = ({ type }: Pick<Candidate, 'type'>, credentials: readonly Credential[]): readonly Credential[] =>
  type === 'video' ? credentials.filter(({ first }) => first) : credentials;

/** Videos need the key in the channel's row, which may be disabled while others are in use. */
export const hasKeyFor = (type: Candidate['type'], { credentials }: Candidate['channel']): boolean =>
  credentials === undefined || keysFor({ type }, credentials).length > 0;

function makeKeyedCandidates(candidate: Candidate, credentials: readonly Credential[]): readonly KeyedCandidate[] {
  const made = credentials.map((credential) => {
    // A single key keeps the circuit that the channel already has.
    const key = credentials.length === 1 ? candidate.key : `${candidate.key}|${credential.id}`;
    return keyedCandidate(candidate, key, credential, false);
  });
  known.set(candidate, made);
  return made;
}

export function keyedCandidate(base: Candidate, key: string, credential: Credential, own: boolean): KeyedCandidate {
  const { credentials: _, ...channel } = base.channel;
  return { ...base, key, channel: { ...channel, credential: credential.secret }, via: { base, credential, own } };
}

/** The keys of all circuits of a candidate. */
export const circuitKeys = (candidate: Candidate): string[] =>
  keyedCandidatesOf(candidate)?.map(({ key }) => key) ?? [candidate.key];

const bestFirst: readonly CircuitState[] = ['closed', 'half_open', 'open'];

/** The circuit state of a candidate for a user, or for anyone: the best state of its keys. */
export function circuitOf<U extends number | undefined>(
  candidate: Candidate,
  stateOf: (key: string, user: U) => CircuitState,
  user: U,
): CircuitState {
  const keyed = keyedCandidatesOf(candidate);
  if (keyed === null) return stateOf(candidate.key, user);
  let best = bestFirst.length - 1;
  for (const { key } of keyed) best = Math.min(best, bestFirst.indexOf(stateOf(key, user)));
  return bestFirst[best]!;
}
