import { z } from 'zod';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { streamMultipart } from '../../platform/http/multipart-stream.ts';
import { type Call, defineRoute, json, type Route } from '../../platform/http/route.ts';
import { type BatchesDeps, noFile } from '../deps.ts';
import { beginUpload, defaultExpiry, removeFile, type Upload } from '../files.ts';
import { findFile, pageFiles, placeOfFile } from '../store/files.ts';
import type { FileRow } from '../store/tables.ts';
import { apiVersion, base, expirySeconds, idQuery, limitOf, listed, listOf, unshared, userOf } from './schemas.ts';

const path = '/v1/files';
const params = z.object({ file_id: z.string() });
/** Of the form beside its file. */
const formBytes = 64 * 1024;

const fields = z.strictObject({
  purpose: z.enum(['assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals']),
  'expires_after[anchor]': z.literal('created_at').optional(),
  'expires_after[seconds]': z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(expirySeconds)
    .meta({ type: 'integer' })
    .optional(),
});

const fileAnswer = z
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

const render = (row: FileRow) => ({
  id: row.id,
  object: 'file',
  bytes: row.bytes,
  created_at: row.created_at,
  ...(row.expires_at !== null && { expires_at: row.expires_at }),
  filename: row.filename,
  purpose: row.purpose,
  status: 'processed',
});

/** The same as Anthropic's clients read it, which call these addresses too. */
const anthropicAnswer = z
  .object({
    id: z.string(),
    type: z.literal('file'),
    filename: z.string(),
    mime_type: z.string(),
    size_bytes: z.int(),
    created_at: z.iso.datetime(),
    downloadable: z.boolean(),
  })
  .meta({ id: 'AnthropicFile' });

const renderForAnthropic = ({ id, filename, bytes, created_at }: FileRow) => ({
  ...{ id, type: 'file', filename, size_bytes: bytes, downloadable: true },
  mime_type: Bun.file(filename).type.split(';')[0]!,
  created_at: new Date(created_at * 1000).toISOString(),
});

const isAnthropics = ({ request }: Pick<Call, 'request'>): boolean => request.headers.has('anthropic-version');
const rendererFor = (call: Pick<Call, 'request'>) => (isAnthropics(call) ? renderForAnthropic : render);
const shownFile = z.union([fileAnswer, anthropicAnswer]);

export function fileRoutes(deps: BatchesDeps): Route[] {
  const find = async (call: Call<'apiKey', unknown, unknown, { file_id: string }>): Promise<FileRow> => {
    const { file_id: id } = call.params;
    const row = await findFile(deps.db, userOf(call), id, nowSeconds(deps.clock));
    if (!row) throw noFile(id);
    return row;
  };
  return [
    defineRoute({
      ...base,
      method: 'post',
      path,
      summary: 'Upload a file',
      bodyAs: 'raw',
      bodyTypes: ['multipart/form-data'],
      body: fields.extend({ file: z.string() }).meta({ id: 'FileUpload' }),
      answers: { 200: shownFile },
      handle: async (call) => json(call, rendererFor(call)(await upload(deps, call))),
    }),
    defineRoute({
      ...base,
      method: 'get',
      path,
      summary: 'Files, the newest first',
      query: z.strictObject({
        ...apiVersion,
        after: idQuery,
        page: idQuery.meta({ description: 'The same, as Anthropic’s clients have it of `next_page`' }),
        limit: limitOf(10_000),
        order: z.enum(['asc', 'desc']).optional(),
        purpose: z.string().max(100).optional(),
      }),
      answers: { 200: listed(shownFile).extend({ next_page: z.string().nullable().optional() }) },
      handle: async (call) => {
        const { page, after: afterId = page, limit: asked = 1_000, order = 'desc', purpose } = call.query;
        const limit = Math.min(asked, 1_000);
        const now = nowSeconds(deps.clock);
        const after =
          afterId === undefined ? undefined : await placeOfFile(deps.db, userOf(call), afterId, deps.clock.nowMs());
        if (after === null) throw noFile(afterId!, 'after');
        const rows = await pageFiles(deps.db, userOf(call), now, { after, limit: limit + 1, order, purpose });
        unshared(call);
        const list = listOf(rows, limit, rendererFor(call));
        const next_page = list.has_more ? list.last_id : null;
        return json(call, isAnthropics(call) ? { ...list, next_page } : list);
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: `${path}/{file_id}`,
      summary: 'One file, without its content',
      params,
      answers: { 200: shownFile },
      handle: async (call) => {
        const row = await find(call);
        unshared(call);
        return json(call, rendererFor(call)(row));
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: `${path}/{file_id}/content`,
      summary: 'The content of a file',
      params,
      answers: { 200: { type: 'application/octet-stream', description: 'The bytes as they were uploaded or made' } },
      handle: async (call) => {
        const { blob, bytes, id } = await find(call);
        const content = await deps.blobs.read(blob);
        if (!content) throw noFile(id);
        unshared(call);
        // Never shown by a browser as anything: it is whatever somebody uploaded.
        const headers = {
          ...{ 'content-type': 'application/octet-stream', 'content-length': String(bytes) },
          'content-disposition': `attachment; filename="${id}"`,
        };
        return new Response(content, { headers: { ...call.headers, ...headers } });
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: `${path}/{file_id}`,
      summary: 'Delete a file',
      params,
      answers: {
        200: z.union([
          z.object({ id: z.string(), object: z.literal('file'), deleted: z.literal(true) }),
          z.object({ id: z.string(), type: z.literal('file_deleted') }),
        ]),
      },
      handle: async (call) => {
        const row = await find(call);
        await removeFile(deps, row);
        const { id } = row;
        return json(call, isAnthropics(call) ? { id, type: 'file_deleted' } : { id, object: 'file', deleted: true });
      },
    }),
  ];
}

async function upload(deps: BatchesDeps, call: Call<'apiKey'>): Promise<FileRow> {
  const maxBytes = deps.maxFileBytes() + formBytes;
  const length = Number(call.request.headers.get('content-length') ?? 0);
  if (length > maxBytes)
    throw new AppError('request_too_large', `A file may have ${deps.maxFileBytes()} bytes at most.`, { param: 'file' });
  let begun: Upload | undefined;
  let filename = '';
  try {
    const form = await streamMultipart(call, maxBytes, async (file) => {
      if (file.name !== 'file') throw unknown(file.name);
      if (begun) throw new AppError('invalid_value', 'One request takes one file.', { param: 'file' });
      filename = file.filename;
      begun = await beginUpload(deps, userOf(call), Number.isFinite(length) ? length : 0);
      await begun.store(file.content);
    });
    // Anthropic's have no purpose: they are for requests to name.
    const about = readFields(isAnthropics(call) ? { purpose: 'user_data', ...form } : form);
    if (!begun) throw new AppError('missing_required_parameter', 'file is required.', { param: 'file' });
    return await begun.finish({ ...about, filename: filename.slice(0, 512) });
  } catch (error) {
    await begun?.giveUp();
    throw error;
  }
}

const unknown = (name: string) =>
  new AppError('invalid_value', `${name.slice(0, 100)}: there is no such parameter.`, { param: name.slice(0, 100) });

function readFields(form: Record<string, string>): { purpose: string; expirySeconds: number | null } {
  const parsed = fields.safeParse({ ...form });
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    if (issue.code === 'unrecognized_keys') throw unknown(issue.keys[0]!);
    const param = issue.path.join('.');
    if (form[param] === undefined) throw new AppError('missing_required_parameter', `${param} is required.`, { param });
    throw new AppError('invalid_value', `${param}: ${issue.message}`, { param });
  }
  const { purpose, 'expires_after[seconds]': seconds, 'expires_after[anchor]': anchor } = parsed.data;
  if ((seconds === undefined) !== (anchor === undefined))
    throw new AppError('missing_required_parameter', 'expires_after has an anchor and seconds.', {
      param: 'expires_after',
    });
  return { purpose, expirySeconds: seconds ?? defaultExpiry(purpose) };
}
