import type { Vendor } from '../../../lib/vendors/vendor.ts';
import { isObject, type Json } from '../../wire/conversation.ts';
import { placeholderText } from '../kind/placeholder-text.ts';

/** What some vendors refuse in messages that OpenAI accepts, by the name in the vendor table. */
export const messageRules: Record<
  NonNullable<Vendor['messageRules']>,
  (messages: unknown[], body: Json) => unknown[]
> = {
  known_members: (messages) => messages.map((message) => withMembers(message, usualMembers)),
  mistral: (messages) => inMistralsOrder(messages.map(asMistralTakesIt)),
  alternating: joinNeighbours,
  thoughts: withThoughts,
};

type Members = Readonly<Record<string, readonly string[]>>;

/** Answers have others, such as `refusal` and `annotations`, and clients send them back as they are. */
const usualMembers: Members = {
  system: ['content', 'name'],
  user: ['content', 'name'],
  assistant: ['content', 'name', 'tool_calls', 'reasoning', 'reasoning_content', 'reasoning_details'],
  tool: ['content', 'tool_call_id', 'name'],
};

const mistralMembers: Members = {
  ...usualMembers,
  system: ['content'],
  user: ['content'],
  assistant: ['content', 'tool_calls', 'prefix'],
};

function withMembers(message: unknown, known: Members): unknown {
  const members = isObject(message) ? known[String(message.role)] : undefined;
  if (!isObject(message) || !members) return message;
  const out: Json = { role: message.role };
  for (const name of members) if (message[name] != null) out[name] = message[name];
  if (message.role === 'assistant') out.content ??= message.refusal ?? null;
  if (Array.isArray(out.content)) out.content = out.content.map(withoutMarks);
  if (Array.isArray(out.tool_calls)) out.tool_calls = out.tool_calls.map(bareCall);
  return out;
}

/** Marks for caches are refused as well. */
function withoutMarks(part: unknown): unknown {
  if (!isObject(part)) return part;
  const { cache_control: _, prompt_cache_breakpoint: __, ...rest } = part;
  return rest;
}

function bareCall(call: unknown): unknown {
  if (!isObject(call)) return call;
  const { id, type, function: called } = call;
  return { id, type, function: called };
}

function asMistralTakesIt(given: unknown): unknown {
  const message = withMembers(given, mistralMembers);
  if (!isObject(message)) return message;
  const { tool_call_id: id, tool_calls: calls } = message;
  if (typeof id === 'string') return { ...message, tool_call_id: mistralId(id) };
  return Array.isArray(calls) ? { ...message, tool_calls: calls.map(withMistralId) } : message;
}

const withMistralId = (call: unknown): unknown =>
  isObject(call) && typeof call.id === 'string' ? { ...call, id: mistralId(call.id) } : call;

const idLength = 9;
const ownId = /^[a-zA-Z0-9]{9}$/;

/** Other ids, as all other vendors make them, are refused. The same for a call and its result. */
const mistralId = (id: string): string =>
  ownId.test(id) ? id : Bun.hash(id).toString(36).padStart(idLength, '0').slice(-idLength);

/** Between the results of calls and the user's next words. */
const heard = { role: 'assistant', content: 'Ok.' };

/** An answer to the results comes before the user speaks again, and an answer to be continued is marked. */
function inMistralsOrder(messages: unknown[]): unknown[] {
  const out: unknown[] = [];
  for (const message of messages) {
    if (!isObject(message)) out.push(message);
    else if (message.role === 'assistant' && isEmpty(message)) continue;
    else if (message.role === 'user' && roleOf(out.at(-1)) === 'tool') out.push(heard, message);
    else out.push(message);
  }
  const last = out.at(-1);
  return isObject(last) && last.role === 'assistant' && !last.tool_calls
    ? out.with(-1, { ...last, prefix: true })
    : out;
}

const roleOf = (message: unknown): unknown => (isObject(message) ? message.role : undefined);

const isEmpty = ({ content, tool_calls: calls }: Json): boolean => (content ?? '') === '' && !calls;

/** User and assistant must take turns. */
function joinNeighbours(messages: unknown[]): unknown[] {
  const groups: unknown[][] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    if (last && roleOf(message) !== undefined && roleOf(message) === roleOf(last[0])) last.push(message);
    else groups.push([message]);
  }
  return groups.map((group) => (group.length === 1 ? group[0] : joined(group as Json[])));
}

function joined(group: Json[]): Json {
  const contents = group.map(({ content }) => content);
  const texts = contents.every((content) => typeof content === 'string');
  return { ...group[0], content: texts ? contents.join('\n\n') : contents.flatMap(partsOf) };
}

const partsOf = (content: unknown): unknown[] =>
  Array.isArray(content) ? content : typeof content === 'string' ? [{ type: 'text', text: content }] : [];

/**
 * Where tools were called, every answer must come back with its thoughts. Some have none: those of other vendors, and
 * those of clients that do not know the field.
 */
function withThoughts(messages: unknown[], { thinking }: Json): unknown[] {
  const isOff = isObject(thinking) && thinking.type === 'disabled';
  if (isOff || !messages.some((message) => isObject(message) && message.tool_calls)) return messages;
  return messages.map((message) =>
    isObject(message) && message.role === 'assistant' && !message.reasoning_content
      ? { ...message, reasoning_content: placeholderText }
      : message,
  );
}
