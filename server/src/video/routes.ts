import { AppError } from '../lib/errors.ts';
import '../identity/principals.ts';
import { maxJsonBytes, readJson, refuseNul } from '../platform/http/body.ts';
import { offsetOf, pageQuery } from '../platform/http/paging.ts';
import { type Call, defineRoute, json, type Route } from '../platform/http/route.ts';
import { cancelJob } from './advance.ts';
import { callbackSecret } from './callbacks.ts';
import { serveContent } from './content.ts';
import { createJob } from './create.ts';
import type { VideoDeps } from './deps.ts';
import { listModels } from './models.ts';
import { invalid, videoRequestSchema } from './request.ts';
import { contentQuery, jobAnswer, jobParams, jobsAnswer, modelsAnswer, secretAnswer } from './schemas.ts';
import { findOwnJob, pageOwnJobs } from './store.ts';
import { jobView, listedView } from './view.ts';

const common = {
  tag: 'Video',
  auth: 'apiKey',
  errors: 'video',
  limit: { option: 'RateLimitV1', by: 'principal' },
} as const;

const notFound = () => new AppError('not_found', 'Resource not found');

export function videoRoutes(deps: VideoDeps): Route[] {
  // Fixed names come before `{jobId}`, which would take them.
  return [modelsRoute(deps), secretRoute(deps), createRoute(deps), listRoute(deps), ...jobRoutes(deps)];
}

const modelsRoute = (deps: VideoDeps): Route =>
  defineRoute({
    ...common,
    method: 'get',
    path: '/v1/videos/models',
    summary: 'Video models and what each can do',
    answers: { 200: modelsAnswer },
    handle: (call) => json(call, { object: 'list', data: listModels(deps, call.principal) }),
  });

const secretRoute = (deps: VideoDeps): Route =>
  defineRoute({
    ...common,
    method: 'get',
    path: '/v1/videos/callback-secret',
    summary: 'The secret that signs your video callbacks',
    answers: { 200: secretAnswer },
    handle: (call) => {
      call.headers['cache-control'] = 'no-store';
      const secret = callbackSecret(deps.secretKey, call.principal.user.id);
      return json(call, { secret, header: 'X-Svc-Signature', algorithm: 'HMAC-SHA256 of "<t>.<raw body>"' });
    },
  });

const createRoute = (deps: VideoDeps): Route =>
  defineRoute({
    ...common,
    method: 'post',
    path: '/v1/videos',
    summary: 'Start making a video',
    idempotent: true,
    maxBytes: maxJsonBytes,
    bodyAs: 'raw',
    body: videoRequestSchema,
    answers: { 202: jobAnswer },
    handle: async (call) => {
      const body = await bodyOf(call);
      return json(call, jobView(await createJob(deps, call.principal, body), deps.config.baseUrl), 202);
    },
  });

async function bodyOf(call: Pick<Call, 'request' | 'arrived'>): Promise<unknown> {
  const type = (call.request.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  if (type !== 'application/json') throw invalid('send the body as application/json');
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
    summary: 'Your video jobs, newest first',
    query: pageQuery,
    answers: { 200: jobsAnswer },
    handle: async (call) => {
      const { page, page_size } = call.query;
      const place = { limit: page_size, offset: offsetOf(call.query) };
      const { jobs, total } = await pageOwnJobs(deps.db, call.principal.user.id, place);
      const data = jobs.map((job) => listedView(job, deps.config.baseUrl));
      return json(call, { object: 'list', data, total, page, page_size });
    },
  });

function jobRoutes(deps: VideoDeps): Route[] {
  const { baseUrl } = deps.config;
  return [
    defineRoute({
      ...common,
      method: 'get',
      path: '/v1/videos/{jobId}',
      summary: 'How far a video is',
      params: jobParams,
      answers: { 200: jobAnswer },
      handle: async (call) => {
        const job = await findOwnJob(deps.db, call.params.jobId, call.principal.user.id);
        if (!job) throw notFound();
        call.headers['cache-control'] = 'no-store';
        return json(call, jobView(job, baseUrl));
      },
    }),
    defineRoute({
      ...common,
      method: 'delete',
      path: '/v1/videos/{jobId}',
      summary: 'Cancel a video',
      params: jobParams,
      answers: { 200: jobAnswer },
      handle: async (call) => {
        const job = await cancelJob(deps, call.params.jobId, call.principal.user.id);
        if (!job) throw notFound();
        if (job.status !== 'cancelled') {
          throw new AppError('conflict', `The job is ${job.status} and can no longer be cancelled`);
        }
        return json(call, jobView(job, baseUrl));
      },
    }),
    defineRoute({
      ...common,
      // A page's <video> sends the session cookie and no header of ours; reading one's own video changes nothing.
      auth: 'keyOrSession',
      method: 'get',
      path: '/v1/videos/{jobId}/content',
      summary: 'The video itself; ranges are supported',
      params: jobParams,
      query: contentQuery,
      answers: { 200: { type: 'video/mp4', description: 'The video, in the media type of its provider.' } },
      handle: async (call) => {
        const index = call.query.index ?? '0';
        if (!/^\d{1,3}$/.test(index)) throw invalid('index must be a whole number');
        const job = await findOwnJob(deps.db, call.params.jobId, call.principal.user.id);
        if (!job) throw notFound();
        return serveContent(deps, call, job, Number(index));
      },
    }),
  ];
}
