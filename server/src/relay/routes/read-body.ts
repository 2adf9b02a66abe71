import { AppError } from '../../lib/errors.ts';
import { maxJsonBytes, readJson, withMembers } from '../../platform/http/body.ts';
import { mediaType, readMultipart } from '../../platform/http/multipart.ts';
import type { Call } from '../../platform/http/route.ts';
import type { Json } from '../wire/conversation.ts';
import { readObject, weigh } from '../wire/read.ts';

const maxFormBytes = 25 * 1024 * 1024;

export async function readJsonBody(call: Pick<Call, 'request' | 'arrived' | 'members'>): Promise<Json> {
  const type = mediaType(call.request);
  if (type !== '' && type !== 'application/json' && !type.endsWith('+json'))
    throw new AppError('unsupported_media_type', 'Send the body as application/json.');
  const body = readObject(await readJson(call, maxJsonBytes), 'body');
  // Only validates the depth; the result is not needed.
  weigh(body);
  return withMembers(call, body) as Json;
}

export const readFormBody = (call: Pick<Call, 'request' | 'arrived' | 'members'>): Promise<FormData> =>
  readMultipart(call, maxFormBytes);
