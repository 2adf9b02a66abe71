import { z } from 'zod';
import { table } from '../../lib/table.ts';
import { askJson, cleanMessage, download, type HttpCall } from './http.ts';
import {
  type Order,
  type Progress,
  type Submission,
  type Taken,
  type Target,
  UpstreamFault,
  type UpstreamKind,
} from './kind.ts';

const answer = z.object({
  id: z.string().min(1).max(500),
  status: z.string(),
  polling_url: z.string().max(2_000).nullish(),
  error: z.union([z.string(), z.object({ message: z.string() })]).nullish(),
  unsigned_urls: z.array(z.string().max(8_192)).nullish(),
});

const statuses = table<Progress['status']>({
  pending: 'pending',
  in_progress: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'failed',
  expired: 'failed',
});
const maxResults = 10;

/** Our own request format, with the upstream's model name and without our extensions. */
export function toUpstream({ jobId, request, seconds }: Order, target: Target): HttpCall {
  const {
    callback_url: _callback,
    provider: _provider,
    user: _user,
    frame_images,
    input_references,
    ...rest
  } = request;
  return {
    method: 'POST',
    url: `${target.baseUrl}/videos`,
    headers: { 'idempotency-key': jobId },
    body: {
      ...rest,
      model: target.modelName,
      duration: seconds,
      ...(rest.size !== undefined && { resolution: undefined }),
      ...(frame_images.length > 0 && { frame_images: frame_images.map((frame) => ({ type: 'image_url', ...frame })) }),
      ...(input_references.length > 0 && { input_references }),
    },
  };
}

/** A URL on another host would receive our credential: only its path is used. */
export function takenFrom(body: unknown, target: Target): Taken {
  const parsed = answer.safeParse(body);
  if (!parsed.success) throw new UpstreamFault('failure', 'the upstream returned no job id');
  const { id, polling_url } = parsed.data;
  const url = polling_url ? URL.parse(polling_url, target.baseUrl) : null;
  const own = url !== null && url.origin === new URL(target.baseUrl).origin;
  return { upstreamId: id, pollUrl: own ? url.href : '' };
}

export function fromUpstream(body: unknown): Progress {
  const parsed = answer.safeParse(body);
  const status = parsed.success ? statuses[parsed.data.status] : undefined;
  if (!parsed.success || !status) throw new UpstreamFault('failure', 'the upstream response has an unknown format');
  const { error, unsigned_urls } = parsed.data;
  const said = typeof error === 'string' ? error : error?.message;
  return {
    status,
    ...(status === 'failed' && {
      error: cleanMessage(said || `The provider ended the job with status ${parsed.data.status}.`),
    }),
    ...(unsigned_urls && { urls: unsigned_urls.slice(0, maxResults) }),
  };
}

const jobUrl = (target: Target, { upstreamId, pollUrl }: Submission): string =>
  pollUrl || `${target.baseUrl}/videos/${encodeURIComponent(upstreamId)}`;

function contentUrl(index: number, submission: Submission, progress: Progress, target: Target): string {
  const given = progress.urls?.[index];
  const url = given ? URL.parse(given, target.baseUrl) : null;
  if (url && /^https?:$/.test(url.protocol)) return url.href;
  return `${target.baseUrl}/videos/${encodeURIComponent(submission.upstreamId)}/content?index=${index}`;
}

export const openrouterVideos: UpstreamKind = {
  canSay: () => true,
  submit: async (order, target, io) => takenFrom(await askJson(toUpstream(order, target), target, io), target),
  poll: async (submission, target, io) =>
    fromUpstream(await askJson({ method: 'GET', url: jobUrl(target, submission) }, target, io)),
  count: (progress) => Math.max(1, progress.urls?.length ?? 1),
  fetch: (index, _order, submission, progress, target, io) =>
    download(contentUrl(index, submission, progress, target), target, io),
  cancel: async ({ upstreamId }, target, io) => {
    const url = `${target.baseUrl}/videos/${encodeURIComponent(upstreamId)}`;
    await askJson({ method: 'DELETE', url }, target, io);
  },
};
