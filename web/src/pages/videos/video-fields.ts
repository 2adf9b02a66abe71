import { t } from '../../language/words.ts';
import type { VideoModel } from './videos-api.ts';

export type FrameType = 'first_frame' | 'last_frame';

/** The form's state for a video; an empty field leaves the choice to the model. */
export interface VideoFields {
  prompt: string;
  aspectRatio: string;
  resolution: string;
  size: string;
  duration: number | string;
  seed: number | string;
  audio: boolean;
  callbackUrl: string;
  /** Data URLs. */
  frames: Partial<Record<FrameType, string>>;
}

export const emptyVideo: VideoFields = {
  prompt: '',
  aspectRatio: '',
  resolution: '',
  size: '',
  duration: '',
  seed: '',
  audio: false,
  callbackUrl: '',
  frames: {},
};

export type VideoFaults = Partial<Record<'prompt' | 'callbackUrl' | 'duration', string>>;

export const frameTypes = ['first_frame', 'last_frame'] as const;
export const framesOf = (model: VideoModel): FrameType[] =>
  frameTypes.filter((type) => model.supported_frame_images?.includes(type));

/** The options a model reports; null if it reports none. */
export const offered = (list: readonly (string | number)[] | null): string[] | null =>
  list && list.length > 0 ? list.map(String) : null;

export function withFrame(frames: VideoFields['frames'], type: FrameType, url: string | null): VideoFields['frames'] {
  const { [type]: _, ...others } = frames;
  return url === null ? others : { ...others, [type]: url };
}

/** When another model is selected, clears the values that it does not support. */
export function fitting(fields: VideoFields, model: VideoModel): VideoFields {
  const kept = (value: string, list: readonly string[] | null) => (list?.includes(value) ? value : '');
  const { supported_durations: durations } = model;
  return {
    ...fields,
    aspectRatio: kept(fields.aspectRatio, model.supported_aspect_ratios),
    resolution: kept(fields.resolution, model.supported_resolutions),
    size: kept(fields.size, model.supported_sizes),
    duration: durations?.length && !durations.includes(Number(fields.duration)) ? '' : fields.duration,
    seed: model.seed ? fields.seed : '',
    audio: fields.audio && model.generate_audio,
    frames: Object.fromEntries(
      framesOf(model).flatMap((type) => (fields.frames[type] ? [[type, fields.frames[type]]] : [])),
    ),
  };
}

export function faultsOf({ prompt, frames, callbackUrl, duration }: VideoFields): VideoFaults {
  const faults: VideoFaults = {};
  if (prompt.trim() === '' && Object.keys(frames).length === 0) faults.prompt = t('Describe the video.');
  if (callbackUrl !== '' && URL.parse(callbackUrl)?.protocol !== 'https:') {
    faults.callbackUrl = t('Enter an address that starts with https://');
  }
  if (duration !== '' && !(Number.isInteger(Number(duration)) && Number(duration) >= 1)) {
    faults.duration = t('Enter whole seconds, at least 1.');
  }
  return faults;
}

const given = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '' && value !== undefined));

export function bodyOf(fields: VideoFields, model: VideoModel): Record<string, unknown> {
  const frames = Object.entries(fields.frames).map(([frame_type, url]) => ({ frame_type, image_url: { url } }));
  return given({
    model: model.id,
    prompt: fields.prompt.trim(),
    aspect_ratio: fields.aspectRatio,
    resolution: fields.size ? '' : fields.resolution,
    size: fields.size,
    duration: fields.duration === '' ? '' : Number(fields.duration),
    seed: fields.seed,
    generate_audio: model.generate_audio ? fields.audio : undefined,
    callback_url: fields.callbackUrl,
    frame_images: frames.length > 0 ? frames : undefined,
  });
}

/** The duration in seconds if none is requested; undefined if the model does not report it. */
export const usualSeconds = ({ supported_durations }: VideoModel): number | undefined => supported_durations?.[0];

/** Estimated cost in USD; null while the duration is unknown. */
export function costOf(fields: VideoFields, model: VideoModel): number | null {
  const { per_second: perSecond } = model.pricing;
  if (perSecond === 0) return 0;
  const seconds = fields.duration === '' ? usualSeconds(model) : Number(fields.duration);
  return seconds === undefined || !(seconds > 0) ? null : perSecond * seconds;
}
