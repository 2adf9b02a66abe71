import { costOf, isFree, type Price } from '../lib/money.ts';
import type { Candidate } from '../routing/candidate.ts';
import { type Capabilities, capabilitiesOf, unsupported } from './capabilities.ts';
import type { VideoDeps } from './deps.ts';
import { aspectRatios, resolutions, type VideoRequest } from './request.ts';
import { upstreamKinds } from './upstreams/index.ts';

/** Default length for models that list none. */
const usualSeconds = 5;

/** Channels that can make videos with this model for callers of this group. */
export function makersOf({ catalog }: Pick<VideoDeps, 'catalog'>, modelId: string, group: string): Candidate[] {
  const listed = catalog.candidatesFor(modelId, 'video', group);
  const all = listed.length > 0 ? listed : catalog.legacyCandidatesFor(modelId, 'video', group);
  return all.filter((candidate) => upstreamKinds[candidate.channel.kind] !== undefined);
}

type Shape = Pick<VideoRequest, 'size' | 'resolution' | 'aspect_ratio'>;

/** This shape would result in a size that the model does not have. */
function isWrongSize(candidate: Candidate, can: Capabilities, shape: Shape): boolean {
  const size = upstreamKinds[candidate.channel.kind]?.sizeOf?.(shape);
  return size !== undefined && (can.supported_sizes?.length ?? 0) > 0 && !can.supported_sizes!.includes(size);
}

/** The model's capabilities, as far as its channel can express them. */
export function abilitiesOf(candidate: Candidate): Capabilities {
  const said = capabilitiesOf(candidate.capabilities);
  const can = upstreamKinds[candidate.channel.kind]?.narrow?.(said) ?? said;
  const fits = (resolution: string, aspect_ratio: string) => !isWrongSize(candidate, can, { resolution, aspect_ratio });
  const ratios = can.supported_aspect_ratios ?? aspectRatios;
  const heights = can.supported_resolutions ?? resolutions;
  return {
    ...can,
    supported_resolutions: can.supported_resolutions?.filter((one) => ratios.some((ratio) => fits(one, ratio))) ?? null,
    supported_aspect_ratios: can.supported_aspect_ratios?.filter((one) => heights.some((it) => fits(it, one))) ?? null,
  };
}

/** Why this candidate cannot make it; null if it can. */
export function whyNot(candidate: Candidate, request: VideoRequest, model: string): string | null {
  const can = abilitiesOf(candidate);
  const reason = unsupported(request, can, model);
  if (reason !== null) return reason;
  if (isWrongSize(candidate, can, request)) {
    const { resolution, aspect_ratio } = request;
    const asked = [resolution && `resolution ${resolution}`, aspect_ratio && `aspect_ratio ${aspect_ratio}`];
    return `${asked.filter(Boolean).join(' with ')} is not supported by ${model}`;
  }
  if (upstreamKinds[candidate.channel.kind]?.canSay(request)) return null;
  return `Invalid request parameters: these frame_images or input_references are not supported by ${model}`;
}

export const canMake = (candidate: Candidate, request: VideoRequest): boolean =>
  whyNot(candidate, request, candidate.modelId) === null;

/** Seconds to make and charge: as requested, else the model's first length. */
export const secondsOf = (request: VideoRequest, candidate: Candidate): number =>
  request.duration ?? capabilitiesOf(candidate.capabilities).supported_durations?.[0] ?? usualSeconds;

export const priceOf = (price: Price, seconds: number): number =>
  isFree(price) ? 0 : costOf(price, { promptTokens: 0, completionTokens: 0, units: seconds });
