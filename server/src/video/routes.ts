import { AppError } from '../lib/errors.ts';
import '../identity/principals.ts';
import { rotationSchema } from '../identity/rotate-key.ts';
import { maxJsonBytes, readJson, refuseNul } from '../platform/http/body.ts';
import { mediaType } from '../platform/http/multipart.ts';
import { rangeOf } from '../platform/http/paging.ts';
import { type Call, defineRoute, json, type Route } from '../platform/http/route.ts';
import { cancelJob } from './advance.ts';
import { type CallbackSecrets, callbackSecrets, type Orderer, rotateSecret } from './callback-secrets.ts';
import { serveContent } from './content.ts';
import { createJob } from './create.ts';
import type { VideoDeps } from './deps.ts';
import { listModels } from './models.ts';
import { inOpenaiWords, isOpenaiBody, newIdStart, openaiView, readOpenaiForm, toOwnFormat } from './openai-format.ts';
import { removeJob } from './remove.ts';
import { invalid, videoRequestSchema } from './request.ts';
import {
  contentQuery,
  jobAnswer,
  jobParams,
  jobsAnswer,
  listQuery,
  modelsAnswer,
  remixBody,
  removedAnswer,
  secretAnswer,
} from './schemas.ts';
import { findOwnJob, ownJobsAfter, pageOwnJobs, placeOfJob, type VideoJob } from './store.ts';
import { jobView, listedView } from './view.ts';

const common = {
  tag: 'Video',
  auth: 'apiKey',
  errors: 'video',
  limit: { option: 'RateLimitV1', by: 'principal' },
} as const;

const notFound = () => new AppError('not_found', 'Resource not found');

export function videoRoutes(deps: VideoDeps): Route[] {
  // Fixed names come before `{jobId}`, which would match them.
  return [
    modelsRoute(deps),
    secretRoute(deps),
    rotateRoute(deps),
    createRoute(deps),
    listRoute(deps),
    ...jobRoutes(deps),
  ];
}

const modelsRoute = (deps: VideoDeps): Route =>
  defineRoute({
    ...common,
    method: 'get',
    path: '/v1/videos/models',
    summary: 'List video models and their capabilities',
    answers: { 200: modelsAnswer },
    handle: async (call) => json(call, { object: 'list', data: await listModels(deps, call.principal) }),
  });

const secretRoute = (deps: VideoDeps): Route =>
  defineRoute({
    ...common,
    method: 'get',
    path: '/v1/videos/callback-secret',
    summary: 'Get the signing secret for your video callbacks',
    answers: { 200: secretAnswer },
    handle: async (call) => secretShown(call, await callbackSecrets(deps, ordererOf(call))),
  });

const ordererOf = ({ principal: { user, keyId } }: Call<'apiKey'>): Orderer => ({ userId: user.id, keyId });

function secretShown(call: Call<'apiKey'>, { secret, previous }: CallbackSecrets): Response {
  call.headers['cache-control'] = 'no-store';
  return json(call, {
    ...{ secret, header: 'X-Svc-Signature', algorithm: 'HMAC-SHA256 of "<t>.<raw body>"' },
    previous: previous && { header: 'X-Svc-Signature-Previous', ends_at: previous.endsAt },
  });
}

const rotateRoute = (deps: VideoDeps): Route =>
  defineRoute({
    ...common,
    method: 'post',
    path: '/v1/videos/callback-secret/rotate',
    summary: 'Rotate the signing secret for your video callbacks; the old one stays valid for a while',
    idempotent: true,
    body: rotationSchema,
    audit: {
      action: 'video_callback_secret_rotated',
      subject: { type: 'user' },
      id: (call) => call.principal.user.id,
    },
    answers: { 200: secretAnswer },
    handle: async (call) => secretShown(call, await rotateSecret(deps, ordererOf(call), call.body.overlap_seconds)),
  });

const createRoute = (deps: VideoDeps): Route =>
  defineRoute({
    ...common,
    method: 'post',
    path: '/v1/videos',
    summary: 'Create a video',
    idempotent: true,
    maxBytes: maxJsonBytes,
    bodyAs: 'raw',
    bodyTypes: ['application/json', 'multipart/form-data'],
    body: videoRequestSchema,
    answers: { 202: jobAnswer },
    handle: async (call) => {
      const body = await bodyOf(call);
      const openai = isForm(call.request) || isOpenaiBody(body);
      const own = openai ? toOwnFormat(deps, call.principal, body as Record<string, unknown>) : body;
      const job = await createJob(deps, call.principal, own, newIdStart(openai));
      return json(call, viewOf(job, deps.config.baseUrl), 202);
    },
  });

const isForm = (request: Request): boolean => mediaType(request) === 'multipart/form-data';

/** In the format it was created with. */
const viewOf = (job: VideoJob, baseUrl: string) =>
  inOpenaiWords(job) ? openaiView(job, baseUrl) : jobView(job, baseUrl);

async function bodyOf(call: Pick<Call, 'request' | 'arrived'>): Promise<unknown> {
  if (isForm(call.request)) return readOpenaiForm(call);
  if (mediaType(call.request) !== 'application/json')
    throw invalid('send the body as application/json or multipart/form-data');
  const body = await readJson(call, maxJsonBytes);
  try {
    refuseNul(body);
  } catch (error) {
    throw error instanceof AppError ? invalid(error.message) : error;
  }
  return body;
}

const listRoute = (deps: VideoDeps): Route =>
  defineRoute({
    ...common,
    method: 'get',
    path: '/v1/videos',
    summary: 'List your video jobs, newest first',
    query: listQuery,
    answers: { 200: jobsAnswer },
    handle: async (call) => {
      const { page, page_size, limit, after, order } = call.query;
      if (limit !== undefined || after !== undefined || order !== undefined)
        return json(call, await listAfter(deps, call.principal.user.id, { limit: limit ?? 20, order, after }));
      const place = rangeOf(call.query);
      const { rows: jobs, total } = await pageOwnJobs(deps.db, call.principal.user.id, place);
      // Page numbers imply our own format; OpenAI's client does not use them, and may send no parameters.
      const numbered = /[?&]page(_size)?=/.test(call.request.url);
      const data = jobs.map((job) =>
        inOpenaiWords(job) && !numbered ? openaiView(job, deps.config.baseUrl) : listedView(job, deps.config.baseUrl),
      );
      const hasMore = place.offset + jobs.length < total;
      return json(call, { object: 'list', data, total, page, page_size, ...endsOf(jobs, hasMore) });
    },
  });

const endsOf = (jobs: { id: string }[], has_more: boolean) => ({
  has_more,
  first_id: jobs[0]?.id ?? null,
  last_id: jobs.at(-1)?.id ?? null,
});

/** Cursor paging as OpenAI's client uses it, in its format. */
async function listAfter(
  { db, config, clock }: VideoDeps,
  userId: number,
  { limit, order = 'desc', after }: { limit: number; order?: 'asc' | 'desc' | undefined; after?: string | undefined },
) {
  const last = after === undefined ? null : await placeOfJob(db, after, userId, clock.nowMs());
  if (after !== undefined && !last) throw invalid('after must be the id of one of your videos', 'after');
  const found = await ownJobsAfter(db, userId, { limit, order, after: last });
  const jobs = found.slice(0, limit);
  const data = jobs.map((job) => openaiView(job, config.baseUrl));
  return { object: 'list', data, ...endsOf(jobs, found.length > limit) };
}

function jobRoutes(deps: VideoDeps): Route[] {
  const { baseUrl } = deps.config;
  return [
    defineRoute({
      ...common,
      method: 'get',
      path: '/v1/videos/{jobId}',
      summary: 'Get the status and progress of a video',
      params: jobParams,
      answers: { 200: jobAnswer },
      handle: async (call) => {
        const job = await findOwnJob(deps.db, call.params.jobId, call.principal.user.id);
        if (!job) throw notFound();
        return json(call, viewOf(job, baseUrl));
      },
    }),
    defineRoute({
      ...common,
      method: 'delete',
      path: '/v1/videos/{jobId}',
      summary: "Cancel a video; one created in OpenAI's format is deleted",
      params: jobParams,
      answers: { 200: removedAnswer },
      handle: async (call) => {
        const job = await cancelJob(deps, call.params.jobId, call.principal.user.id);
        if (!job) throw notFound();
        if (inOpenaiWords(job)) {
          await removeJob(deps, job);
          return json(call, { id: job.id, object: 'video.deleted', deleted: true });
        }
        if (job.status !== 'cancelled') {
          throw new AppError('conflict', `The job is ${job.status} and can no longer be cancelled`);
        }
        return json(call, jobView(job, baseUrl));
      },
    }),
    defineRoute({
      ...common,
      method: 'post',
      path: '/v1/videos/{jobId}/remix',
      summary: 'Not supported: no provider can modify a finished video',
      params: jobParams,
      body: remixBody,
      answers: {},
      handle: async (call) => {
        if (!(await findOwnJob(deps.db, call.params.jobId, call.principal.user.id))) throw notFound();
        throw new AppError('invalid_request', 'Videos cannot be remixed; create a new one');
      },
    }),
    defineRoute({
      ...common,
      // A page's <video> sends the session cookie and no custom header; reading one's own video is safe.
      auth: 'modelsOrSession',
      method: 'get',
      path: '/v1/videos/{jobId}/content',
      summary: 'Download the video; range requests are supported',
      params: jobParams,
      query: contentQuery,
      answers: {
        200: { type: 'video/*', description: 'The video, in the media type of its provider' },
        206: { type: 'video/*', description: 'The requested range' },
        304: { description: 'Not modified' },
      },
      handle: async (call) => {
        const index = call.query.index ?? '0';
        if (!/^\d{1,3}$/.test(index)) throw invalid('index must be a whole number');
        if ((call.query.variant ?? 'video') !== 'video') throw invalid('variant must be video');
        const job = await findOwnJob(deps.db, call.params.jobId, call.principal.user.id);
        if (!job) throw notFound();
        return serveContent(deps, call, job, Number(index));
      },
    }),
  ];
}
