import { z } from 'zod';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { type Call, defineRoute, json, type Route } from '../../platform/http/route.ts';
import type { BatchesDeps } from '../deps.ts';
import { limits } from '../limits.ts';
import { findFiles, pageFiles } from '../store/files.ts';
import type { FileRow } from '../store/tables.ts';
import { oneFileRoutes } from './one-file.ts';
import { betaQuery, idQuery, limitOf, listOf, base as openai, secondsField, userOf } from './schemas.ts';
import { acceptFields, receiveFile, requirePlace } from './stored-file.ts';

const base = { ...openai, errors: 'anthropic' } as const;
/** Its clients use `/v1/files`, as OpenAI's do. */
const path = '/v1/anthropic/files';
const mostIds = 100;

const fields = z.strictObject({ expires_in_seconds: secondsField(limits.mostAnthropicExpirySeconds) });

const fileAnswer = z
  .object({
    id: z.string(),
    type: z.literal('file'),
    filename: z.string(),
    mime_type: z.string(),
    size_bytes: z.int(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
    downloadable: z.boolean(),
  })
  .meta({ id: 'AnthropicFile' });

const timeOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();

const render = ({ id, filename, bytes, created_at, expires_at }: FileRow) => ({
  ...{ id, type: 'file', filename, size_bytes: bytes, downloadable: true },
  mime_type: Bun.file(filename).type.split(';')[0]!,
  created_at: timeOf(created_at),
  expires_at: expires_at === null ? null : timeOf(expires_at),
});

const listQuery = z.strictObject({
  ...betaQuery,
  page: idQuery.meta({ description: '`next_page` of the previous page' }),
  after_id: idQuery,
  before_id: idQuery,
  limit: limitOf(1_000),
  'ids[]': z
    .string()
    .transform((ids) => [...new Set(ids.split(','))])
    .pipe(z.array(z.string()).max(mostIds))
    .meta({ type: 'string', description: 'List only these, on one page' })
    .optional(),
  scope_id: idQuery.meta({ description: 'Files here do not belong to a session' }),
});

async function rowsOf(deps: BatchesDeps, call: Call<'apiKey', unknown, z.infer<typeof listQuery>>, limit: number) {
  const { page, after_id = page, before_id, 'ids[]': ids, scope_id } = call.query;
  const now = nowSeconds(deps.clock);
  if (scope_id !== undefined) return [];
  if (ids) {
    if (page !== undefined || call.query.limit !== undefined)
      throw new AppError('invalid_value', "'ids' cannot be combined with 'page' or 'limit'.", { param: 'ids' });
    return findFiles(deps.db, userOf(call), ids, now);
  }
  const place = await requirePlace(deps, userOf(call), { after_id, before_id });
  const order = after_id === undefined && before_id !== undefined ? 'asc' : 'desc';
  const rows = await pageFiles(deps.db, userOf(call), now, { after: place, limit: limit + 1, order });
  // The extra row stays the last.
  return order === 'desc' ? rows : [...rows.slice(0, limit).reverse(), ...rows.slice(limit)];
}

/** Anthropic's Files API. */
export const anthropicFileRoutes = (deps: BatchesDeps): Route[] => [
  defineRoute({
    ...base,
    method: 'post',
    path,
    summary: 'Upload a file: `/v1/files` with `anthropic-version`',
    bodyAs: 'raw',
    bodyTypes: ['multipart/form-data'],
    body: fields.extend({ file: z.string() }).meta({ id: 'AnthropicFileUpload' }),
    answers: { 200: fileAnswer },
    handle: async (call) => json(call, render(await receiveFile(deps, call, aboutIn))),
  }),
  defineRoute({
    ...base,
    method: 'get',
    path,
    summary: 'List files, newest first: `/v1/files` with `anthropic-version`',
    query: listQuery,
    answers: {
      200: z.object({
        data: z.array(fileAnswer),
        next_page: z.string().nullable(),
        first_id: z.string().nullable(),
        last_id: z.string().nullable(),
        has_more: z.boolean(),
      }),
    },
    handle: async (call) => {
      const limit = call.query['ids[]'] ? mostIds : (call.query.limit ?? 20);
      const { object: _, ...list } = listOf(await rowsOf(deps, call, limit), limit, render);
      return json(call, { ...list, next_page: list.has_more ? list.last_id : null });
    },
  }),
  ...oneFileRoutes(deps, {
    ...{ base, path, render, answer: fileAnswer },
    deletedAnswer: z.object({ id: z.string(), type: z.literal('file_deleted') }),
    deleted: (id) => ({ id, type: 'file_deleted' }),
  }),
];

/** Anthropic's files have no purpose: they are for use in requests. */
const aboutIn = (form: Record<string, string>) => ({
  purpose: 'user_data',
  expirySeconds: acceptFields(fields, form).expires_in_seconds ?? null,
});
