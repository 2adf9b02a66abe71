import { AppError } from '../../lib/errors.ts';
import { receive } from './body.ts';
import type { Call } from './route.ts';

/** No form of ours has twenty fields, and each part costs time. */
const mostParts = 200;

const invalid = (message: string): AppError => new AppError('invalid_value', message, { param: 'body' });

export const mediaType = (request: Request): string =>
  (request.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();

/** A form's fields and files; members given by the path take precedence. */
export async function readMultipart(
  call: Pick<Call, 'request' | 'arrived' | 'members'>,
  maxBytes: number,
): Promise<FormData> {
  const { request } = call;
  if (mediaType(request) !== 'multipart/form-data')
    throw new AppError('unsupported_media_type', 'Send the body as multipart/form-data.');
  const bytes = await receive(call, maxBytes);
  const headers = { 'content-type': request.headers.get('content-type') ?? '' };
  if (hasManyParts(bytes, headers['content-type'])) throw invalid(`The form has more than ${mostParts} parts.`);
  // Yields between finding the parts and copying them, which take a few hundredths of a second each.
  await new Promise(setImmediate);
  try {
    // Deprecated for servers only because it buffers everything, which is bounded here.
    const form = await new Response(bytes as Uint8Array<ArrayBuffer>, { headers }).formData();
    for (const name in call.members) form.set(name, call.members[name]!);
    return form;
  } catch {
    throw invalid('The request body is not valid multipart/form-data.');
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
