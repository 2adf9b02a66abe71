import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { parseExactly } from '../../lib/exact-json.ts';
import { maxJsonBytes } from '../../platform/http/body.ts';
import { type Call, defineRoute, json, type Route } from '../../platform/http/route.ts';
import { cancel, createFromRequests, placeOfBatch, removeBatch, requireBatch } from '../create.ts';
import { type BatchesDeps, noBatch } from '../deps.ts';
import { anthropicBatch } from '../render.ts';
import { pageBatches } from '../store/batches.ts';
import type { BatchRow } from '../store/tables.ts';
import { betaQuery, idQuery, limitOf, listOf, base as openai, userOf } from './schemas.ts';

const base = { ...openai, errors: 'anthropic' } as const;
const path = '/v1/messages/batches';
const params = z.object({ batch_id: z.string() });
/** A larger body is refused by its size anyway. */
const mostRequests = 10_000;

const batchAnswer = z
  .object({
    id: z.string(),
    type: z.literal('message_batch'),
    processing_status: z.enum(['in_progress', 'canceling', 'ended']),
    request_counts: z.object({
      processing: z.int(),
      succeeded: z.int(),
      errored: z.int(),
      canceled: z.int(),
      expired: z.int(),
    }),
    created_at: z.string(),
    expires_at: z.string(),
    ended_at: z.string().nullable(),
    cancel_initiated_at: z.string().nullable(),
    archived_at: z.string().nullable(),
    results_url: z.string().nullable(),
  })
  .meta({ id: 'MessageBatch' });

const request = z
  .strictObject({
    requests: z
      .array(
        z.strictObject({
          custom_id: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1-64 characters of A-Z a-z 0-9 _ -'),
          params: z.looseObject({}),
        }),
      )
      .min(1)
      .max(mostRequests),
  })
  .meta({ id: 'MessageBatchRequest' });

const invalid = (param: string, message: string) => new AppError('invalid_value', `${param}: ${message}`, { param });

function refuseWrong(requests: z.infer<typeof request>['requests']): void {
  const seen = new Set<string>();
  requests.forEach(({ custom_id: id, params: asked }, place) => {
    if (seen.has(id)) throw invalid(`requests.${place}.custom_id`, 'must be unique within the batch');
    seen.add(id);
    if (asked.stream === true) throw invalid(`requests.${place}.params.stream`, 'batch responses cannot be streamed');
  });
}

/** Anthropic's Message Batches API. */
export function messageBatchRoutes(deps: BatchesDeps): Route[] {
  const render = (row: BatchRow) => anthropicBatch(row, deps.baseUrl);
  const find = (call: Call<'apiKey', unknown, unknown, { batch_id: string }>): Promise<BatchRow> =>
    requireBatch(deps, userOf(call), 'anthropic', call.params.batch_id);
  return [
    defineRoute({
      ...base,
      method: 'post',
      path,
      summary: 'Create a batch of messages, answered within a day',
      idempotent: true,
      // What tools were asked for is passed on as it is written.
      parseJson: parseExactly,
      maxBytes: maxJsonBytes,
      body: request,
      answers: { 200: batchAnswer },
      handle: async (call) => {
        const { principal, body } = call;
        refuseWrong(body.requests);
        const owner = { userId: principal.user.id, keyId: principal.keyId };
        return json(call, render(await createFromRequests(deps, owner, body.requests)));
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path,
      summary: 'List message batches, newest first',
      query: z.strictObject({ ...betaQuery, after_id: idQuery, before_id: idQuery, limit: limitOf(1_000) }),
      answers: {
        200: z.object({
          data: z.array(batchAnswer),
          first_id: z.string().nullable(),
          last_id: z.string().nullable(),
          has_more: z.boolean(),
        }),
      },
      handle: async (call) => {
        const { after_id: afterId, before_id: beforeId, limit = 20 } = call.query;
        const userId = userOf(call);
        const named = (id: string | undefined) => placeOfBatch(deps, userId, 'anthropic', id);
        const [after, before] = [await named(afterId), await named(beforeId)];
        const rows = await pageBatches(deps.db, userId, 'anthropic', { after, before, limit: limit + 1 });
        // Read backwards, the extra row is the first.
        const shown = before && rows.length > limit ? [...rows.slice(1), rows[0]!] : rows;
        const { object: _, ...page } = listOf(shown, limit, render);
        return json(call, page);
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: `${path}/{batch_id}`,
      summary: 'Get a message batch',
      params,
      answers: { 200: batchAnswer },
      handle: async (call) => json(call, render(await find(call))),
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: `${path}/{batch_id}/results`,
      summary: 'Get the results of an ended batch, one per line',
      params,
      answers: { 200: { type: 'application/x-jsonl', description: 'One JSON object per line' } },
      handle: async (call) => {
        const { results_blob: blob } = await find(call);
        const content = blob === null ? null : await deps.blobs.body(blob);
        if (!content) throw new AppError('not_found', 'This batch has no results yet because it has not ended.');
        return new Response(content, { headers: { ...call.headers, 'content-type': 'application/x-jsonl' } });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: `${path}/{batch_id}/cancel`,
      summary: 'Cancel a message batch; finished results are kept',
      params,
      answers: { 200: batchAnswer },
      handle: async (call) => {
        const cancelled = await cancel(deps, await find(call));
        // Unchanged: a late caller finds it ended.
        return json(call, render(cancelled ?? (await find(call))));
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: `${path}/{batch_id}`,
      summary: 'Delete an ended batch and its results',
      params,
      answers: { 200: z.object({ id: z.string(), type: z.literal('message_batch_deleted') }) },
      handle: async (call) => {
        const batch = await find(call);
        if (batch.ended_at === null)
          throw new AppError('invalid_value', 'A batch that has not ended cannot be deleted. Cancel it first.');
        if (!(await removeBatch(deps, batch))) throw noBatch(batch.id);
        return json(call, { id: batch.id, type: 'message_batch_deleted' });
      },
    }),
  ];
}
