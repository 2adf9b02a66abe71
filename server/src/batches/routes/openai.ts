import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { defineRoute, json, type Route } from '../../platform/http/route.ts';
import { metadata, pageOf } from '../../relay/responses/routes/schemas.ts';
import { cancel, createFromFile, placeOfBatch, requireBatch } from '../create.ts';
import type { BatchesDeps } from '../deps.ts';
import { openaiBatch } from '../render.ts';
import { pageBatches } from '../store/batches.ts';
import { apiVersion, base, expiresAfter, idQuery, limitOf, listOf, userOf } from './schemas.ts';

const path = '/v1/batches';
const params = z.object({ batch_id: z.string() });

const time = z.int().nullable();
const batchAnswer = z
  .looseObject({
    id: z.string(),
    object: z.literal('batch'),
    endpoint: z.string(),
    input_file_id: z.string(),
    completion_window: z.string(),
    status: z.string(),
    output_file_id: z.string().nullable(),
    error_file_id: z.string().nullable(),
    created_at: z.int(),
    completed_at: time,
    request_counts: z.object({ total: z.int(), completed: z.int(), failed: z.int() }),
    metadata: z.record(z.string(), z.string()).nullable(),
  })
  .meta({ id: 'Batch' });

const request = z
  .strictObject({
    input_file_id: z.string().min(1).max(200),
    endpoint: z.enum([
      ...['/v1/chat/completions', '/v1/embeddings', '/v1/completions', '/v1/responses', '/v1/moderations'],
    ] as [string, ...string[]]),
    completion_window: z.literal('24h'),
    metadata: metadata.nullable().optional(),
    output_expires_after: expiresAfter.nullable().optional(),
  })
  .meta({ id: 'BatchRequest' });

/** OpenAI's Batches API. */
export const openaiBatchRoutes = (deps: BatchesDeps): Route[] => [
  defineRoute({
    ...base,
    method: 'post',
    path,
    summary: 'Create a batch that runs the requests of a file within a day',
    idempotent: true,
    body: request,
    answers: { 200: batchAnswer },
    handle: async (call) => {
      const { principal, body } = call;
      const owner = { userId: principal.user.id, keyId: principal.keyId };
      const batch = await createFromFile(deps, owner, {
        endpoint: body.endpoint,
        inputFileId: body.input_file_id,
        metadata: body.metadata ?? null,
        outputSeconds: body.output_expires_after?.seconds ?? null,
      });
      return json(call, openaiBatch(batch));
    },
  }),
  defineRoute({
    ...base,
    method: 'get',
    path,
    summary: 'List batches, newest first',
    query: z.strictObject({ ...apiVersion, after: idQuery, limit: limitOf(100) }),
    answers: { 200: pageOf(batchAnswer) },
    handle: async (call) => {
      const { after: afterId, limit = 20 } = call.query;
      const userId = userOf(call);
      const after = await placeOfBatch(deps, userId, 'openai', afterId);
      const rows = await pageBatches(deps.db, userId, 'openai', { after, limit: limit + 1 });
      return json(call, listOf(rows, limit, openaiBatch));
    },
  }),
  defineRoute({
    ...base,
    method: 'get',
    path: `${path}/{batch_id}`,
    summary: 'Get a batch',
    params,
    answers: { 200: batchAnswer },
    handle: async (call) => {
      const batch = await requireBatch(deps, userOf(call), 'openai', call.params.batch_id);
      return json(call, openaiBatch(batch));
    },
  }),
  defineRoute({
    ...base,
    method: 'post',
    path: `${path}/{batch_id}/cancel`,
    summary: 'Cancel a batch; finished results are kept',
    params,
    answers: { 200: batchAnswer },
    handle: async (call) => {
      const batch = await requireBatch(deps, userOf(call), 'openai', call.params.batch_id);
      const cancelled = batch.status === 'cancelled' ? batch : await cancel(deps, batch);
      if (!cancelled)
        throw new AppError('conflict', 'This batch has ended or is about to end and can no longer be cancelled.');
      return json(call, openaiBatch(cancelled));
    },
  }),
];
