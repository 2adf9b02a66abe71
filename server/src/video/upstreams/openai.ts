import { z } from 'zod';
import { table } from '../../lib/table.ts';
import { dimensionsOf } from '../dimensions.ts';
import type { VideoRequest } from '../request.ts';
import { askJson, cleanMessage, download, type HttpCall } from './http.ts';
import { type Order, type Progress, type Taken, type Target, UpstreamFault, type UpstreamKind } from './kind.ts';

const answer = z.object({
  id: z.string().min(1).max(500),
  status: z.string(),
  progress: z.number().nullish(),
  error: z.object({ message: z.string().nullish() }).nullish(),
});

const listed = answer.extend({
  model: z.string(),
  prompt: z.string().nullish(),
  seconds: z.union([z.string(), z.number()]),
  size: z.string(),
  created_at: z.number(),
});

const statuses = table<Progress['status']>({
  queued: 'pending',
  in_progress: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'failed',
  expired: 'failed',
});

/** `POST /videos` supports a model, a prompt, seconds, a size and one input image. */
export function toUpstream({ jobId, request, seconds }: Order, target: Target): HttpCall {
  const fields: Record<string, string> = {
    model: target.modelName,
    prompt: request.prompt,
    seconds: String(seconds),
  };
  const size = sizeOf(request);
  if (size) fields.size = size;
  const picture = pictureOf(request);
  const call = { method: 'POST', url: `${target.baseUrl}/videos`, headers: { 'idempotency-key': jobId } } as const;
  if (!picture) return { ...call, body: fields };
  if (!picture.startsWith('data:')) return { ...call, body: { ...fields, input_reference: { image_url: picture } } };
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('input_reference', fileOf(picture));
  return { ...call, body: form };
}

function sizeOf(request: Pick<VideoRequest, 'size' | 'resolution' | 'aspect_ratio'>): string | undefined {
  if (!request.size && !request.resolution && !request.aspect_ratio) return undefined;
  const { width, height } = dimensionsOf(request, { resolution: '720p', aspectRatio: '16:9' });
  return `${width}x${height}`;
}

const pictureOf = (request: VideoRequest): string | undefined => {
  const reference = request.input_references.find((one) => one.type === 'image_url');
  return request.frame_images[0]?.image_url.url ?? reference?.image_url.url;
};

function fileOf(dataUrl: string): File {
  const [, type, base64] = /^data:([^;]+);base64,(.*)$/.exec(dataUrl)!;
  return new File([Buffer.from(base64!, 'base64')], `reference.${type!.split('/')[1]}`, { type });
}

export function takenFrom(body: unknown): Taken {
  const parsed = answer.safeParse(body);
  if (!parsed.success) throw new UpstreamFault('failure', 'the upstream returned no job id');
  return { upstreamId: parsed.data.id, pollUrl: '' };
}

/**
 * Which videos of `GET /videos` match the order in all fields. Those made from an image do not tell which one, and are
 * never matched.
 */
export function takenAmong(body: unknown, order: Order, sinceMs: number, target: Target): Taken[] {
  const { request, seconds } = order;
  const parsed = z.object({ data: z.array(z.unknown()) }).safeParse(body);
  if (!parsed.success) return [];
  const size = sizeOf(request);
  return parsed.data.data
    .flatMap((one) => listed.safeParse(one).data ?? [])
    .filter(
      (one) => one.prompt === request.prompt && one.model === target.modelName && one.created_at * 1000 >= sinceMs,
    )
    .filter((one) => Number(one.seconds) === seconds && (!size || one.size === size))
    .sort((a, b) => a.created_at - b.created_at)
    .map(({ id }) => ({ upstreamId: id, pollUrl: '' }));
}

export function fromUpstream(body: unknown): Progress {
  const parsed = answer.safeParse(body);
  const status = parsed.success ? statuses[parsed.data.status] : undefined;
  if (!parsed.success || !status) throw new UpstreamFault('failure', 'the upstream response has an unknown format');
  const { progress, error } = parsed.data;
  return {
    status,
    ...(typeof progress === 'number' && { percent: progress }),
    ...(status === 'failed' && { error: cleanMessage(error?.message ?? 'The provider could not generate the video.') }),
  };
}

const jobUrl = (target: Target, id: string): string => `${target.baseUrl}/videos/${encodeURIComponent(id)}`;

export const openaiVideos: UpstreamKind = {
  narrow: (can) => ({
    ...can,
    seed: false,
    generate_audio: false,
    supported_frame_images: can.supported_frame_images?.filter((frame) => frame === 'first_frame') ?? null,
  }),
  sizeOf,
  canSay: (request) =>
    request.input_references.every((one) => one.type === 'image_url') &&
    request.input_references.length + request.frame_images.length <= 1 &&
    request.frame_images.every((frame) => frame.frame_type === 'first_frame'),
  submit: async (order, target, io) => takenFrom(await askJson(toUpstream(order, target), target, io)),
  find: async (order, sinceMs, target, io) => {
    if (pictureOf(order.request)) return [];
    const url = `${target.baseUrl}/videos?limit=100&order=desc`;
    return takenAmong(await askJson({ method: 'GET', url }, target, io), order, sinceMs, target);
  },
  poll: async ({ upstreamId }, target, io) =>
    fromUpstream(await askJson({ method: 'GET', url: jobUrl(target, upstreamId) }, target, io)),
  count: () => 1,
  fetch: (_index, _order, { upstreamId }, _progress, target, io) =>
    download(`${jobUrl(target, upstreamId)}/content`, target, io),
  cancel: async ({ upstreamId }, target, io) => {
    await askJson({ method: 'DELETE', url: jobUrl(target, upstreamId) }, target, io);
  },
};
