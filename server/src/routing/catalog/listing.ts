import type { Price } from '../../lib/money.ts';
import type { Candidate, ModelType } from '../candidate.ts';
import { knownName } from './price-list.ts';

/** A model as callers see it, over all its providers. */
export interface ModelListing {
  id: string;
  /** Display name. */
  name: string;
  /** Empty for names known only from a channel's list. */
  types: readonly ModelType[];
  ownedBy: string;
  /** Unix seconds. */
  created: number;
  /** The lowest price of its providers; null for legacy routing. */
  price: Price | null;
  contextLength: number;
  maxOutputTokens: number;
  capabilities: Readonly<Record<string, unknown>>;
  /** Its providers, best ranked first. */
  providers: readonly string[];
}

/** `candidates` are ranked; empty for a name of legacy routing. */
export function listingOf(
  id: string,
  candidates: readonly Candidate[],
  created: number,
  name?: string,
  provider = '',
): ModelListing {
  const slash = id.indexOf('/');
  const cheapest = candidates.reduce<Candidate | null>(
    (best, one) => (best === null || weigh(one.price) < weigh(best.price) ? one : best),
    null,
  );
  const first = candidates[0];
  return Object.freeze({
    id,
    name: name ?? knownName(id) ?? id,
    types: [...new Set(candidates.map((candidate) => candidate.type))],
    ownedBy: slash > 0 ? id.slice(0, slash) : (first?.channel.provider ?? provider),
    created,
    price: cheapest?.price ?? null,
    contextLength: Math.max(0, ...candidates.map((candidate) => candidate.contextLength)),
    maxOutputTokens: Math.max(0, ...candidates.map((candidate) => candidate.maxOutputTokens)),
    capabilities: first?.capabilities ?? {},
    providers: first ? [...new Set(candidates.map((candidate) => candidate.channel.provider))] : [provider],
  });
}

const weigh = (price: Price): number => price.promptPrice + price.completionPrice + price.requestPrice;
