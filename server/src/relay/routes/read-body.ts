import { AppError } from '../../lib/errors.ts';
import { parseJson, readBody } from '../../platform/http/body.ts';
import type { Json } from '../wire/conversation.ts';
import { invalid, readObject, refuseDeep } from '../wire/read.ts';

/** Contract §5. */
const maxJsonBytes = 32 * 1024 * 1024;
const maxFormBytes = 25 * 1024 * 1024;

const mediaType = (request: Request): string =>
  (request.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();

export async function readJsonBody(request: Request): Promise<Json> {
  const type = mediaType(request);
  if (type !== '' && type !== 'application/json' && !type.endsWith('+json'))
    throw new AppError('unsupported_media_type', 'Send the body as application/json.');
  const body = readObject(parseJson(await readBody(request, maxJsonBytes)), 'body');
  refuseDeep(body);
  return body;
}

export async function readFormBody(request: Request): Promise<FormData> {
  if (mediaType(request) !== 'multipart/form-data')
    throw new AppError('unsupported_media_type', 'Send the body as multipart/form-data.');
  const bytes = await readBody(request, maxFormBytes);
  const headers = { 'content-type': request.headers.get('content-type') ?? '' };
  try {
    // The standard calls this deprecated for servers only because it reads everything at once, which is bounded here.
    return await new Response(bytes as Uint8Array<ArrayBuffer>, { headers }).formData();
  } catch {
    throw invalid('body', 'The request body is not valid multipart/form-data.');
  }
}
