import { fitsKind } from '../lib/google-account.ts';
import { scaledPrice } from '../lib/money.ts';
import type { Candidate } from './candidate.ts';
import { type KeyedCandidate, keyedCandidate } from './keyed-candidates.ts';
import type { OwnKey } from './own-keys.ts';

interface OwnKeyCandidates {
  /** In the order to try them. */
  candidates: Candidate[];
  /** The candidate that is called first with the user's own key. */
  first: Candidate;
}

/**
 * Puts the user's own keys before those of the operator: before all others, or, if the request orders its providers,
 * first at each provider. The operator's candidates stay only if one of the keys allows fallback; otherwise the request
 * costs just the fee, whatever happens. Null if none of the keys fits any of the candidates.
 */
export function withOwnKeyCandidates(
  ordered: readonly Candidate[],
  keys: readonly OwnKey[],
  fee: number,
  orderGiven: boolean,
): OwnKeyCandidates | null {
  if (keys.length === 0) return null;
  const keyed = new Map<Candidate, KeyedCandidate[]>();
  const met = new Set<string>();
  for (const candidate of ordered) {
    const { provider, kind } = candidate.channel;
    // Videos are fetched long after, with the key in the channel's row.
    if (met.has(provider) || candidate.type === 'video') continue;
    met.add(provider);
    const own = keys.filter((key) => key.provider === provider && fitsKind(kind, key.credential.secret));
    if (own.length > 0)
      keyed.set(
        candidate,
        own.map((key) => ownKeyCandidate(candidate, key, fee)),
      );
  }
  const [first] = keyed.keys();
  if (!first) return null;
  const own = [...keyed.values()].flat();
  if (!keys.some((key) => key.fallback && met.has(key.provider))) return { candidates: own, first };
  const candidates = orderGiven
    ? ordered.flatMap((candidate): Candidate[] => [...(keyed.get(candidate) ?? []), candidate])
    : [...own, ...ordered];
  return { candidates, first };
}

/** The price is only the fee; the vendor bills the user directly. */
function ownKeyCandidate(candidate: Candidate, { credential, entrusted }: OwnKey, fee: number): KeyedCandidate {
  const keyed = keyedCandidate(candidate, `${candidate.key}|own-${credential.id}`, credential, true);
  const via = entrusted ? { ...keyed.via, entrusted } : keyed.via;
  return { ...keyed, via, price: scaledPrice(candidate.price, fee) };
}
