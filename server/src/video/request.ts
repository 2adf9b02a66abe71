import { z } from 'zod';
import { AppError } from '../lib/errors.ts';
import { checkedUrl, OutgoingError } from '../platform/http/outgoing.ts';

/** Every value that some model may support. */
export const aspectRatios = ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3', '21:9', '9:21'] as const;
export const resolutions = ['480p', '720p', '768p', '1080p', '1K', '2K', '4K'] as const;
const sizePattern = /^[1-9]\d{1,4}x[1-9]\d{1,4}$/;

const maxPromptLength = 32_000;
const maxImages = 16;
/** Longer than any model makes; keeps amounts in range. */
const maxDuration = 3_600;

/** References are fetched by the upstream, never by us; still, only web addresses and inline data are passed on. */
const mediaUrl = (kind: 'image' | 'video') =>
  z.string().refine((text) => {
    if (text.startsWith('data:'))
      return new RegExp(`^data:${kind}/[a-z0-9.+-]+;base64,[A-Za-z0-9+/]+={0,2}$`).test(text);
    const url = URL.parse(text);
    return url !== null && url.protocol === 'https:' && !url.username && !url.password && text.length <= 8_192;
  }, `must be an https address or a data:${kind} URL`);
const image = z.object({ url: mediaUrl('image') });

export const videoRequestSchema = z.object({
  model: z.string().meta({ example: 'demo/video' }),
  prompt: z.string().max(maxPromptLength).default(''),
  aspect_ratio: z
    .string()
    .optional()
    .meta({ enum: [...aspectRatios] }),
  duration: z.int().min(1).max(maxDuration).optional(),
  resolution: z
    .string()
    .optional()
    .meta({ enum: [...resolutions] }),
  size: z.string().optional().meta({ example: '1280x720' }),
  generate_audio: z.boolean().optional(),
  seed: z.int().optional(),
  callback_url: z.string().max(2_000).optional(),
  frame_images: z
    .array(
      z.object({
        type: z.literal('image_url').optional(),
        frame_type: z.enum(['first_frame', 'last_frame']),
        image_url: image,
      }),
    )
    .max(2)
    .default([]),
  input_references: z
    .array(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('image_url'), image_url: image }),
        z.object({ type: z.literal('video_url'), video_url: z.object({ url: mediaUrl('video') }) }),
      ]),
    )
    .max(maxImages)
    .default([]),
  /** As on other endpoints: which providers, in what order. Validated by routing. */
  provider: z.unknown().optional(),
  /** Sent by clients of similar APIs; ignored. */
  user: z.string().max(512).optional(),
});
export type VideoRequest = z.infer<typeof videoRequestSchema>;

export const refuse = (message: string, param?: string): AppError =>
  new AppError('invalid_value', message, param === undefined ? {} : { param });

export const invalid = (detail: string, param?: string): AppError =>
  refuse(`Invalid request parameters: ${detail}`, param);

/** The body's `model`, needed to validate the rest. */
export function modelOf(body: unknown): string {
  const model = typeof body === 'object' && body !== null && 'model' in body ? body.model : undefined;
  if (typeof model !== 'string' || model === '') throw refuse('Invalid request parameters', 'model');
  return model;
}

/** The request, validated by the rules common to all models; the first violation is reported. */
export function parseRequest(body: unknown): VideoRequest {
  const parsed = videoRequestSchema.safeParse(withoutNulls(body as object));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = issue!.path.join('.');
    throw invalid(`${path} ${issue!.message}`, path);
  }
  const request = parsed.data;
  const hasImage = request.frame_images.length > 0 || request.input_references.some((one) => one.type === 'image_url');
  if (request.prompt.trim() === '' && !hasImage) {
    throw refuse('Prompt is required unless image input is provided', 'prompt');
  }
  checkLists(request);
  return request;
}

/** An unknown field is one the model does not support. */
export function refuseUnknown(body: unknown, model: string): void {
  const unknown = Object.keys(body as object).find((name) => !Object.hasOwn(videoRequestSchema.shape, name));
  if (unknown !== undefined) throw invalid(`${unknown.slice(0, 100)} is not supported by ${model}`, unknown);
}

/** Clients in typed languages send absent fields as null. */
const withoutNulls = (body: object): object =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));

function checkLists({ aspect_ratio, resolution, size, frame_images }: VideoRequest): void {
  const listed = (list: readonly string[], value: string | undefined) => value === undefined || list.includes(value);
  if (!listed(aspectRatios, aspect_ratio)) throw refuse('Unsupported aspect_ratio', 'aspect_ratio');
  if (!listed(resolutions, resolution)) throw refuse('Unsupported resolution', 'resolution');
  if (size !== undefined && !sizePattern.test(size)) throw refuse('Unsupported size', 'size');
  if (new Set(frame_images.map((frame) => frame.frame_type)).size < frame_images.length) {
    throw invalid('frame_images contains the same frame_type twice', 'frame_images');
  }
}

export function checkCallback(address: string | undefined, allowPrivate: boolean): void {
  if (address === undefined) return;
  if (URL.parse(address)?.protocol !== 'https:') throw refuse('callback_url must be HTTPS', 'callback_url');
  try {
    checkedUrl(address, { allowPrivate });
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    throw invalid(`callback_url cannot be called: ${error.message}`, 'callback_url');
  }
}
