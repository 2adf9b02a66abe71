import { costOf, isFree, type Price } from '../lib/money.ts';
import type { Candidate } from '../routing/candidate.ts';
import { capabilitiesOf, unsupported } from './capabilities.ts';
import type { VideoDeps } from './deps.ts';
import type { VideoRequest } from './request.ts';
import { upstreamKinds } from './upstreams/index.ts';

/** What a request without a length gets from a model that does not list any. */
const usualSeconds = 5;

/** Those who can make videos of this model for callers of this group. */
export function makersOf({ catalog }: Pick<VideoDeps, 'catalog'>, modelId: string, group: string): Candidate[] {
  const listed = catalog.candidatesFor(modelId, 'video', group);
  const all = listed.length > 0 ? listed : catalog.legacyCandidatesFor(modelId, 'video', group);
  return all.filter((candidate) => upstreamKinds[candidate.channel.kind] !== undefined);
}

/** Why this one cannot make it; null when it can. */
export function whyNot(candidate: Candidate, request: VideoRequest, model: string): string | null {
  const reason = unsupported(request, capabilitiesOf(candidate.capabilities), model);
  if (reason !== null) return reason;
  if (upstreamKinds[candidate.channel.kind]?.canSay(request)) return null;
  return `Invalid request parameters: these frame_images or input_references are not supported by ${model}`;
}

export const canMake = (candidate: Candidate, request: VideoRequest): boolean =>
  whyNot(candidate, request, candidate.modelId) === null;

/** Seconds to be made and paid: what is asked for, else the model's first length. */
export const secondsOf = (request: VideoRequest, candidate: Candidate): number =>
  request.duration ?? capabilitiesOf(candidate.capabilities).supported_durations?.[0] ?? usualSeconds;

export const priceOf = (price: Price, seconds: number): number =>
  isFree(price) ? 0 : costOf(price, { promptTokens: 0, completionTokens: 0, units: seconds });
