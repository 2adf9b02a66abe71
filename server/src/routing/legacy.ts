import type { Price } from '../lib/money.ts';
import { type Candidate, type Channel, candidateKey, type ModelType } from './candidate.ts';

/** For a channel that lists the model without a provider model: everything but the name is unknown. */
export const legacyCandidate = (channel: Channel, modelId: string, type: ModelType, price: Price): Candidate => ({
  key: candidateKey(channel.provider, modelId, channel.id),
  channel,
  modelId,
  modelName: modelId,
  type,
  price,
  contextLength: 0,
  maxOutputTokens: 0,
  qualityScore: 1,
  capabilities: {},
});

type Tiered = Pick<Channel, 'priority' | 'weight'>;

/** Removes one at random by weight; if all weights are 0, with equal probability. */
function drawOne<T>(rest: T[], channelOf: (one: T) => Tiered, random: () => number): T {
  const weightOf = (one: T): number => Math.max(channelOf(one).weight, 0);
  let total = 0;
  for (const one of rest) total += weightOf(one);
  let index = 0;
  if (total > 0) {
    let left = random() * total;
    for (let i = 0; i < rest.length; i++) {
      const weight = weightOf(rest[i]!);
      // A channel without weight is never drawn while others have some.
      if (weight > 0) index = i;
      if (left < weight) break;
      left -= weight;
    }
  } else {
    index = Math.floor(random() * rest.length);
  }
  return rest.splice(index, 1)[0]!;
}

/** Highest priority first, in weighted random order within a tier: on failure, the next one is tried. */
export function orderByTiers<T>(list: readonly T[], channelOf: (one: T) => Tiered, random: () => number): T[] {
  const tiers = Map.groupBy(list, (one) => channelOf(one).priority);
  const ordered: T[] = [];
  for (const priority of [...tiers.keys()].sort((a, b) => b - a)) {
    const rest = tiers.get(priority)!;
    while (rest.length > 0) ordered.push(drawOne(rest, channelOf, random));
  }
  return ordered;
}
