import { sha256Hex } from '../../lib/hashing.ts';
import type { RequestContext } from '../deps.ts';
import { isObject, type Json, type Sourced } from '../wire/conversation.ts';

/** Delivery options are not part of the question: a cached answer can be delivered whole and streamed. */
const manner = new Set(['stream', 'stream_options']);

/** The cache key of a request: everything that was asked, in canonical member order, of which model, and by whom. */
export function cacheKeyOf(context: RequestContext, conversation: Sourced, modelId: string, shared: boolean): string {
  const { caller, endpoint, clientHeaders } = context;
  const { source, completion } = conversation;
  const asked = Object.fromEntries(
    Object.entries(completion?.body ?? source.body).filter(([member]) => !manner.has(member)),
  );
  const whose = shared ? 'everybody' : caller.userId;
  // The group decides which channels answer. A model may be named in the path, and may have several names.
  return sha256Hex(
    ordered([whose, caller.group, endpointOf(endpoint), modelId, { ...asked, model: '' }, clientHeaders]),
  );
}

/** Google has different addresses for whole and streamed answers. */
const endpointOf = (endpoint: string): string => endpoint.replace(':streamGenerateContent', ':generateContent');

/** JSON with sorted members. */
function ordered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(ordered).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  return `{${members(value).join(',')}}`;
}

const members = (value: Json): string[] =>
  Object.keys(value)
    .sort()
    .filter((name) => value[name] !== undefined)
    .map((name) => `${JSON.stringify(name)}:${ordered(value[name])}`);
