import { AppError } from '../../lib/errors.ts';
import { maxJsonBytes, type Parse, readJson, readJsonSoonAnswered, withMembers } from '../../platform/http/body.ts';
import { mediaType, readMultipart } from '../../platform/http/multipart.ts';
import type { Call } from '../../platform/http/route.ts';
import { folded, withoutFolded } from '../folded-names.ts';
import type { Json } from '../wire/conversation.ts';
import { invalid, readObject, weigh } from '../wire/read.ts';

const maxFormBytes = 25 * 1024 * 1024;

export async function readJsonBody(call: Pick<Call, 'request' | 'arrived' | 'members'>): Promise<Json> {
  const type = mediaType(call.request);
  if (type !== '' && type !== 'application/json' && !type.endsWith('+json'))
    throw new AppError('unsupported_media_type', 'Send the body as application/json.');
  const body = readObject(await readJson(call, maxJsonBytes), 'body');
  // Only validates the depth; the result is not needed.
  weigh(body);
  return withMembers(call, withoutFolded(body)) as Json;
}

/** The same for endpoints that usually answer quickly. The reader of the format checks the shape. */
export const readSoonAnswered = (
  call: Pick<Call, 'request' | 'arrived' | 'members' | 'grow'>,
  how?: Parse,
): Promise<unknown> =>
  readJsonSoonAnswered(call, maxJsonBytes, how).then((body) => withMembers(call, withoutFolded(body)));

/** Fields that are lists, beside those whose name ends in brackets. */
const lists = new Set([
  'image',
  'include',
  'timestamp_granularities',
  'known_speaker_names',
  'known_speaker_references',
]);

/** Other fields are refused if repeated: programs disagree on which counts, and only one was measured and priced. */
export async function readFormBody(call: Pick<Call, 'request' | 'arrived' | 'members'>): Promise<FormData> {
  const form = await readMultipart(call, maxFormBytes);
  const seen = new Map<string, string>();
  for (const [name] of form) {
    const before = seen.get(folded(name));
    if (before !== undefined && !(before === name && (name.endsWith('[]') || lists.has(name))))
      throw invalid(name, `The field '${name}' is given more than once.`);
    seen.set(folded(name), name);
  }
  return form;
}
