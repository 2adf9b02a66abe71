import { AppError } from '../../lib/errors.ts';
import { maxJsonBytes, readJson, receive, withMembers } from '../../platform/http/body.ts';
import type { Call } from '../../platform/http/route.ts';
import type { Json } from '../wire/conversation.ts';
import { invalid, readObject, weigh } from '../wire/read.ts';

const maxFormBytes = 25 * 1024 * 1024;

const mediaType = (request: Request): string =>
  (request.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();

export async function readJsonBody(call: Pick<Call, 'request' | 'arrived' | 'members'>): Promise<Json> {
  const type = mediaType(call.request);
  if (type !== '' && type !== 'application/json' && !type.endsWith('+json'))
    throw new AppError('unsupported_media_type', 'Send the body as application/json.');
  const body = readObject(await readJson(call, maxJsonBytes), 'body');
  // Nobody waits for the figure here; what is nested too deep is refused.
  weigh(body);
  return withMembers(call, body) as Json;
}

/** No form of ours has twenty fields, and each part takes its time. */
const mostParts = 200;

export async function readFormBody(call: Pick<Call, 'request' | 'arrived' | 'members'>): Promise<FormData> {
  const { request } = call;
  if (mediaType(request) !== 'multipart/form-data')
    throw new AppError('unsupported_media_type', 'Send the body as multipart/form-data.');
  const bytes = await receive(call, maxFormBytes);
  const headers = { 'content-type': request.headers.get('content-type') ?? '' };
  if (hasManyParts(bytes, headers['content-type'])) throw invalid('body', `The form has more than ${mostParts} parts.`);
  try {
    // The standard calls this deprecated for servers only because it reads everything at once, which is bounded here.
    const form = await new Response(bytes as Uint8Array<ArrayBuffer>, { headers }).formData();
    for (const name in call.members) form.set(name, call.members[name]!);
    return form;
  } catch {
    throw invalid('body', 'The request body is not valid multipart/form-data.');
  }
}

function hasManyParts(bytes: Uint8Array, contentType: string): boolean {
  const boundary = /boundary="?([^";]+)/i.exec(contentType)?.[1];
  if (!boundary) return false;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let found = 0;
  for (
    let at = text.indexOf(boundary);
    at >= 0 && found <= mostParts;
    at = text.indexOf(boundary, at + boundary.length)
  )
    found += 1;
  return found > mostParts;
}
