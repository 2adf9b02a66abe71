import type { z } from 'zod';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { streamMultipart } from '../../platform/http/multipart-stream.ts';
import type { Call } from '../../platform/http/route.ts';
import { type BatchesDeps, noFile } from '../deps.ts';
import { beginUpload, type FileAbout, type Upload } from '../files.ts';
import { findFile, placeOfFile } from '../store/files.ts';
import type { Place } from '../store/place.ts';
import type { FileRow } from '../store/tables.ts';
import { userOf } from './schemas.ts';

type FileCall = Call<'apiKey', unknown, unknown, { file_id: string }>;

/** Of the form beside its file. */
const formBytes = 64 * 1024;

export async function requireFile({ db, clock }: BatchesDeps, call: FileCall): Promise<FileRow> {
  const { file_id: id } = call.params;
  const row = await findFile(db, userOf(call), id, nowSeconds(clock));
  if (!row) throw noFile(id);
  return row;
}

/** The list position, given by one of two parameters. */
export async function requirePlace(
  { db, clock }: BatchesDeps,
  userId: number,
  named: Record<string, string | undefined>,
): Promise<Place | undefined> {
  const [param, id] = Object.entries(named).find(([, value]) => value !== undefined) ?? [];
  if (id === undefined) return undefined;
  const place = await placeOfFile(db, userId, id, clock.nowMs());
  if (!place) throw noFile(id, param);
  return place;
}

export async function contentOf(deps: BatchesDeps, call: FileCall): Promise<Response> {
  const { blob, bytes, id } = await requireFile(deps, call);
  const content = await deps.blobs.body(blob);
  if (!content) throw noFile(id);
  // Never rendered by a browser: the content is untrusted.
  const headers = {
    ...{ 'content-type': 'application/octet-stream', 'content-length': String(bytes) },
    'content-disposition': `attachment; filename="${id}"`,
  };
  return new Response(content, { headers: { ...call.headers, ...headers } });
}

type ReadForm = (form: Record<string, string>) => Omit<FileAbout, 'filename'>;

/** `read` validates the fields beside the file. */
export const receiveFile = (deps: BatchesDeps, call: Call<'apiKey'>, read: ReadForm): Promise<FileRow> =>
  receive(call, {
    ...{ field: 'file', mostBytes: deps.maxFileBytes() },
    begin: (length) => beginUpload(deps, userOf(call), length),
    finish: (begun: Upload, form, filename) => begun.finish({ ...read(form), filename: filename.slice(0, 512) }),
  });

/** Bytes of a form while they arrive. */
interface Incoming {
  store(content: ReadableStream<Uint8Array>): Promise<void>;
  giveUp(): Promise<void>;
}

interface Reception<I extends Incoming, T> {
  /** The form field with the bytes. */
  field: string;
  mostBytes: number;
  /** Called with the request's content length, or 0. */
  begin(length: number): Promise<I>;
  finish(begun: I, form: Record<string, string>, filename: string): Promise<T>;
}

/** Receives the single file of a form, all or nothing. */
export async function receive<I extends Incoming, T>(call: Call<'apiKey'>, to: Reception<I, T>): Promise<T> {
  const { field, mostBytes } = to;
  const length = Number(call.request.headers.get('content-length') ?? 0);
  if (length > mostBytes + formBytes)
    throw new AppError('request_too_large', `${field} may have at most ${mostBytes} bytes.`, { param: field });
  let begun: I | undefined;
  let filename = '';
  try {
    const form = await streamMultipart(call, mostBytes + formBytes, async (file) => {
      if (file.name !== field) throw unknownField(file.name);
      if (begun) throw new AppError('invalid_value', 'A request may contain only one file.', { param: field });
      filename = file.filename;
      begun = await to.begin(Number.isFinite(length) ? length : 0);
      await begun.store(file.content);
    });
    if (!begun) throw new AppError('missing_required_parameter', `${field} is required.`, { param: field });
    await call.stillIn?.();
    return await to.finish(begun, form, filename);
  } catch (error) {
    await begun?.giveUp();
    throw error;
  }
}

/** The fields of a form, or the first error in them. */
export function acceptFields<T extends z.ZodType>(fields: T, form: Record<string, string>): z.infer<T> {
  const parsed = fields.safeParse({ ...form });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  if (issue.code === 'unrecognized_keys') throw unknownField(issue.keys[0]!);
  const param = issue.path.join('.');
  if (form[param] === undefined) throw new AppError('missing_required_parameter', `${param} is required.`, { param });
  throw new AppError('invalid_value', `${param}: ${issue.message}`, { param });
}

const unknownField = (name: string) =>
  new AppError('invalid_value', `${name.slice(0, 100)}: there is no such parameter.`, { param: name.slice(0, 100) });
