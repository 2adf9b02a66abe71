import type { VideoCapabilities } from '../lib/vendors/vendor.ts';
import type { VideoRequest } from './request.ts';

/** What a video model can do; null if its provider does not say. */
export type Capabilities = { [Name in keyof VideoCapabilities]: VideoCapabilities[Name] | null } & {
  generate_audio: boolean;
};

const lists = [
  'supported_aspect_ratios',
  'supported_resolutions',
  'supported_durations',
  'supported_sizes',
  'supported_frame_images',
] as const;

/** Entered by operators: what is not understood counts as unknown. */
export function capabilitiesOf(record: Readonly<Record<string, unknown>>): Capabilities {
  const listOf = <T>(name: string, type: 'string' | 'number'): T[] | null => {
    const value = record[name];
    return Array.isArray(value) ? (value.filter((item) => typeof item === type) as T[]) : null;
  };
  return {
    supported_aspect_ratios: listOf<string>('supported_aspect_ratios', 'string'),
    supported_resolutions: listOf<string>('supported_resolutions', 'string'),
    supported_durations: listOf<number>('supported_durations', 'number'),
    supported_sizes: listOf<string>('supported_sizes', 'string'),
    supported_frame_images: listOf<string>('supported_frame_images', 'string'),
    generate_audio: record.generate_audio === true,
    seed: typeof record.seed === 'boolean' ? record.seed : null,
  };
}

/** Union over all providers: a request is valid if one of them can do all of it. */
export function mergeCapabilities(all: readonly Capabilities[]): Capabilities {
  const merged = { ...all[0]! };
  for (const one of all.slice(1)) {
    for (const name of lists) {
      const union = [...new Set([...(merged[name] ?? []), ...(one[name] ?? [])])];
      Object.assign(merged, { [name]: union.length > 0 ? union : (merged[name] ?? one[name]) });
    }
    merged.generate_audio ||= one.generate_audio;
    merged.seed = merged.seed || one.seed || (merged.seed ?? one.seed);
  }
  return merged;
}

/** Why a model cannot make what is asked; null if it can. */
export function unsupported(request: VideoRequest, can: Capabilities, model: string): string | null {
  const { aspect_ratio, resolution, size, duration } = request;
  const outside = <T>(value: T | undefined, list: T[] | null): boolean =>
    value !== undefined && list !== null && !list.includes(value);
  if (outside(aspect_ratio, can.supported_aspect_ratios)) return notBy('aspect_ratio', aspect_ratio, model);
  if (size === undefined && outside(resolution, can.supported_resolutions))
    return notBy('resolution', resolution, model);
  if (size !== undefined && !(can.supported_sizes ?? []).includes(size)) return notBy('size', size, model);
  if (can.supported_durations?.length && outside(duration, can.supported_durations)) {
    return notBy('duration', duration, model);
  }
  return unsupportedField(request, can, model);
}

const notBy = (field: string, value: unknown, model: string): string =>
  `${field} ${value} is not supported by ${model}`;

function unsupportedField(request: VideoRequest, can: Capabilities, model: string): string | null {
  const refuse = (field: string): string => `Invalid request parameters: ${field} is not supported by ${model}`;
  // Valid only for models that report it, whatever its value.
  if (request.generate_audio !== undefined && !can.generate_audio) return refuse('generate_audio');
  if (request.seed !== undefined && can.seed === false) return refuse('seed');
  const frames = can.supported_frame_images ?? [];
  if (request.frame_images.length > 0 && frames.length === 0) return refuse('frame_images');
  const frame = request.frame_images.find(({ frame_type }) => !frames.includes(frame_type));
  return frame ? refuse(`frame_images with frame_type ${frame.frame_type}`) : null;
}
