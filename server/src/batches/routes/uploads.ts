import { z } from 'zod';
import { type Call, defineRoute, json, type Route } from '../../platform/http/route.ts';
import type { BatchesDeps } from '../deps.ts';
import { defaultExpiry } from '../files.ts';
import { limits } from '../limits.ts';
import type { PartRow } from '../store/tables.ts';
import { beginPart, cancelUpload, completeUpload, createUpload, requireUpload, type Told } from '../uploads.ts';
import { fileAnswer, purposes, renderFile } from './files.ts';
import { base, expiresAfter, userOf } from './schemas.ts';
import { acceptFields, receive } from './stored-file.ts';

const path = '/v1/uploads';
const params = z.object({ upload_id: z.string() });

const uploadAnswer = z
  .object({
    id: z.string(),
    object: z.literal('upload'),
    bytes: z.int(),
    filename: z.string(),
    purpose: z.string(),
    status: z.enum(['pending', 'completed', 'cancelled']),
    created_at: z.int(),
    expires_at: z.int(),
    file: fileAnswer.nullable(),
  })
  .meta({ id: 'Upload' });

const render = ({ upload, file }: Told) => ({
  id: upload.id,
  object: 'upload',
  bytes: upload.bytes,
  filename: upload.filename,
  purpose: upload.purpose,
  status: upload.status,
  created_at: upload.created_at,
  expires_at: upload.expires_at,
  file: file && renderFile(file),
});

const partAnswer = z
  .object({ id: z.string(), object: z.literal('upload.part'), upload_id: z.string(), created_at: z.int() })
  .meta({ id: 'UploadPart' });

const renderPart = ({ id, upload_id, created_at }: PartRow) => ({ id, object: 'upload.part', upload_id, created_at });

type UploadCall = Call<'apiKey', unknown, unknown, { upload_id: string }>;
const uploadOf = (deps: BatchesDeps, call: UploadCall) => requireUpload(deps, userOf(call), call.params.upload_id);

/**
 * Completes uploads one request at a time each: every one in progress writes a copy of the whole file, which no quota
 * counts yet, and all but the first find it made.
 */
function inSequence() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(id: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(id);
    const done = before ? before.then(work, work) : work();
    last.set(id, done);
    try {
      return await done;
    } finally {
      if (last.get(id) === done) last.delete(id);
    }
  };
}

/** OpenAI's Uploads API: files too large for one request, in parts. */
export const uploadRoutes = (deps: BatchesDeps, oneAtATime = inSequence()): Route[] => [
  defineRoute({
    ...base,
    method: 'post',
    path,
    summary: 'Start a multipart file upload, to be completed within an hour',
    idempotent: true,
    body: z
      .strictObject({
        bytes: z.int().min(1),
        filename: z.string().min(1).max(512),
        mime_type: z
          .string()
          .min(1)
          .max(255)
          .meta({ description: 'Files are identified by their names; this value is not stored' }),
        purpose: purposes,
        expires_after: expiresAfter.nullable().optional(),
      })
      .meta({ id: 'UploadRequest' }),
    answers: { 200: uploadAnswer },
    handle: async (call) => {
      const { bytes, filename, purpose, expires_after } = call.body;
      const expirySeconds = expires_after?.seconds ?? defaultExpiry(purpose);
      const made = await createUpload(deps, userOf(call), { bytes, filename, purpose, expirySeconds });
      return json(call, render(made));
    },
  }),
  defineRoute({
    ...base,
    method: 'post',
    path: `${path}/{upload_id}/parts`,
    summary: 'Add a part of up to 64 MiB to an upload; parts can be sent in parallel',
    params,
    bodyAs: 'raw',
    bodyTypes: ['multipart/form-data'],
    body: z.strictObject({ data: z.string() }).meta({ id: 'UploadPartRequest' }),
    answers: { 200: partAnswer },
    handle: async (call) => {
      const upload = await uploadOf(deps, call);
      const part = await receive(call, {
        ...{ field: 'data', mostBytes: Math.min(upload.bytes, limits.partBytes) },
        begin: (length) => beginPart(deps, upload, length),
        finish: (begun, form) => {
          acceptFields(z.strictObject({}), form);
          return begun.finish();
        },
      });
      return json(call, renderPart(part));
    },
  }),
  defineRoute({
    ...base,
    method: 'post',
    path: `${path}/{upload_id}/complete`,
    summary: 'Complete an upload: combine its parts into a file in the given order',
    params,
    body: z
      .strictObject({
        part_ids: z.array(z.string().min(1).max(200)).min(1).max(limits.parts),
        md5: z
          .string()
          .max(100)
          .nullable()
          .optional()
          .meta({ description: 'MD5 of the whole file, in hexadecimal or base64' }),
      })
      .meta({ id: 'UploadCompletion' }),
    answers: { 200: uploadAnswer },
    handle: async (call) => {
      const { part_ids: partIds, md5 } = call.body;
      const wanted = { partIds, md5: md5 ?? undefined };
      const { id } = await uploadOf(deps, call);
      const told = await oneAtATime(id, async () => completeUpload(deps, await uploadOf(deps, call), wanted));
      return json(call, render(told));
    },
  }),
  defineRoute({
    ...base,
    method: 'post',
    path: `${path}/{upload_id}/cancel`,
    summary: 'Cancel an upload and discard its parts',
    params,
    answers: { 200: uploadAnswer },
    handle: async (call) => json(call, render(await cancelUpload(deps, await uploadOf(deps, call)))),
  }),
];
