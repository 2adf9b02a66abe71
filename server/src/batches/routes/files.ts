import { z } from 'zod';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { defineRoute, json, type Route } from '../../platform/http/route.ts';
import { pageOf } from '../../relay/responses/routes/schemas.ts';
import type { BatchesDeps } from '../deps.ts';
import { defaultExpiry } from '../files.ts';
import { limits } from '../limits.ts';
import { pageFiles } from '../store/files.ts';
import type { FileRow } from '../store/tables.ts';
import { oneFileRoutes } from './one-file.ts';
import { apiVersion, base, idQuery, limitOf, listOf, secondsField, userOf } from './schemas.ts';
import { acceptFields, receiveFile, requirePlace } from './stored-file.ts';

const path = '/v1/files';

export const purposes = z.enum(['assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals']);
const fields = z.strictObject({
  purpose: purposes,
  'expires_after[anchor]': z.literal('created_at').optional(),
  'expires_after[seconds]': secondsField(limits.mostExpirySeconds),
});

export const fileAnswer = z
  .object({
    id: z.string(),
    object: z.literal('file'),
    bytes: z.int(),
    created_at: z.int(),
    expires_at: z.int().optional(),
    filename: z.string(),
    purpose: z.string(),
    status: z.literal('processed'),
  })
  .meta({ id: 'File' });

export const renderFile = (row: FileRow) => ({
  id: row.id,
  object: 'file',
  bytes: row.bytes,
  created_at: row.created_at,
  ...(row.expires_at !== null && { expires_at: row.expires_at }),
  filename: row.filename,
  purpose: row.purpose,
  status: 'processed',
});

export function fileRoutes(deps: BatchesDeps): Route[] {
  return [
    defineRoute({
      ...base,
      method: 'post',
      path,
      summary: 'Upload a file',
      bodyAs: 'raw',
      bodyTypes: ['multipart/form-data'],
      body: fields.extend({ file: z.string() }).meta({ id: 'FileUpload' }),
      answers: { 200: fileAnswer },
      handle: async (call) => json(call, renderFile(await receiveFile(deps, call, readFields))),
    }),
    defineRoute({
      ...base,
      method: 'get',
      path,
      summary: 'List files, newest first',
      query: z.strictObject({
        ...apiVersion,
        after: idQuery,
        limit: limitOf(10_000),
        order: z.enum(['asc', 'desc']).optional(),
        purpose: z.string().max(100).optional(),
      }),
      answers: { 200: pageOf(fileAnswer) },
      handle: async (call) => {
        const { after: afterId, limit: asked = 1_000, order = 'desc', purpose } = call.query;
        const limit = Math.min(asked, 1_000);
        const after = await requirePlace(deps, userOf(call), { after: afterId });
        const now = nowSeconds(deps.clock);
        const rows = await pageFiles(deps.db, userOf(call), now, { after, limit: limit + 1, order, purpose });
        return json(call, listOf(rows, limit, renderFile));
      },
    }),
    ...oneFileRoutes(deps, {
      ...{ base, path, render: renderFile, answer: fileAnswer },
      deletedAnswer: z.object({ id: z.string(), object: z.literal('file'), deleted: z.literal(true) }),
      deleted: (id) => ({ id, object: 'file', deleted: true }),
    }),
  ];
}

function readFields(form: Record<string, string>) {
  const { purpose, 'expires_after[seconds]': seconds, 'expires_after[anchor]': anchor } = acceptFields(fields, form);
  if ((seconds === undefined) !== (anchor === undefined))
    throw new AppError('missing_required_parameter', 'expires_after requires both anchor and seconds.', {
      param: 'expires_after',
    });
  return { purpose, expirySeconds: seconds ?? defaultExpiry(purpose) };
}
