import { fitsKind } from '../lib/google-account.ts';
import { scaledPrice } from '../lib/money.ts';
import type { Candidate } from './candidate.ts';
import type { OwnKey } from './own-keys.ts';
import { type Way, wayOf } from './ways.ts';

interface OwnLine {
  /** In the order to try them. */
  line: Candidate[];
  /** The candidate that is called first with the user's own key. */
  first: Candidate;
}

/**
 * Puts the user's own keys before those of the operator: before all others, or, if the request orders its providers,
 * first at each provider. The operator's candidates stay only if one of the keys allows fallback; otherwise the request
 * costs just the fee, whatever happens. Null if none of the keys fits any of the candidates.
 */
export function ownLine(
  ordered: readonly Candidate[],
  keys: readonly OwnKey[],
  fee: number,
  orderGiven: boolean,
): OwnLine | null {
  return keys.length === 0 ? null : lineWith(ordered, keys, fee, orderGiven);
}

function lineWith(
  ordered: readonly Candidate[],
  keys: readonly OwnKey[],
  fee: number,
  orderGiven: boolean,
): OwnLine | null {
  const ways = new Map<Candidate, Way[]>();
  const met = new Set<string>();
  for (const candidate of ordered) {
    const { provider, kind } = candidate.channel;
    // Videos are fetched long after, with the key in the channel's row.
    if (met.has(provider) || candidate.type === 'video') continue;
    met.add(provider);
    const own = keys.filter((key) => key.provider === provider && fitsKind(kind, key.credential.secret));
    if (own.length > 0)
      ways.set(
        candidate,
        own.map((key) => ownWay(candidate, key, fee)),
      );
  }
  const [first] = ways.keys();
  if (!first) return null;
  const own = [...ways.values()].flat();
  if (!keys.some((key) => key.fallback && met.has(key.provider))) return { line: own, first };
  const line = orderGiven
    ? ordered.flatMap((candidate): Candidate[] => [...(ways.get(candidate) ?? []), candidate])
    : [...own, ...ordered];
  return { line, first };
}

/** The price is only the fee; the vendor bills the user directly. */
function ownWay(candidate: Candidate, { credential }: OwnKey, fee: number): Way {
  const way = wayOf(candidate, `${candidate.key}|own-${credential.id}`, credential, true);
  return { ...way, price: scaledPrice(candidate.price, fee) };
}
