import { sha256Hex } from '../../lib/hashing.ts';
import type { RequestContext } from '../deps.ts';
import { isObject, type Json, type Sourced } from '../wire/conversation.ts';

/** How an answer is handed over is no part of what was asked: a kept one is given whole and streamed. */
const manner = new Set(['stream', 'stream_options']);

/**
 * The name under which the answer to exactly this request is kept: everything that was asked, in whatever order its members
 * came, of whom, and by whom.
 */
export function nameOf(context: RequestContext, conversation: Sourced, modelId: string, shared: boolean): string {
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

/** Google has one address for whole answers and another for streamed ones. */
const endpointOf = (endpoint: string): string => endpoint.replace(':streamGenerateContent', ':generateContent');

/** JSON with the members of each object in order. */
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
