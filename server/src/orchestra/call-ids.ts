import { type ChatMessage, normalizeWhitespace, type ToolCall, textOf } from './messages.ts';

/**
 * Google's format and OpenAI's former functions need no ids for calls: whoever reads them numbers the calls anew in
 * each request. Gives the calls that are stored, and their results, the ids that they are stored under.
 */
export function withStoredIds(stored: ChatMessage[], incoming: ChatMessage[]): ChatMessage[] {
  const known = new Set(stored.flatMap(idsOf));
  const isForeign = (message: ChatMessage) => idsOf(message).some((id) => !known.has(id));
  if (known.size === 0 || !incoming.some(isForeign)) return incoming;
  const renamed = new Map<ChatMessage, ToolCall[]>();
  // From the end, like the alignment: a client may have dropped the beginning.
  let before = stored.length;
  for (const message of incoming.toReversed().filter(isForeign)) {
    const calls = callsOf(message);
    const place = stored.findLastIndex(
      (one, i) => i < before && said(one) === said(message) && isSameCalls(callsOf(one), calls),
    );
    if (place < 0) continue;
    renamed.set(message, callsOf(stored[place]!));
    before = place;
  }
  return rename(incoming, renamed);
}

/** Results take the new ids of the calls that they follow; other calls may have the same old ones. */
function rename(messages: ChatMessage[], renamed: Map<ChatMessage, ToolCall[]>): ChatMessage[] {
  let ids = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === 'assistant') {
      const calls = renamed.get(message) ?? [];
      ids = new Map(callsOf(message).flatMap(({ id }, i) => (calls[i] ? [[id, calls[i].id]] : [])));
      const own = message.tool_calls?.map((call) => ({ ...call, id: ids.get(call.id) ?? call.id }));
      return own ? { ...message, tool_calls: own } : message;
    }
    const id = message.tool_call_id && ids.get(message.tool_call_id);
    return id ? { ...message, tool_call_id: id } : message;
  });
}

/** Whether these are the same calls in the same order, whatever their ids. */
export const isSameCalls = (some: ToolCall[], others: ToolCall[]): boolean =>
  some.length === others.length && some.every((call, i) => wordOf(call) === wordOf(others[i]!));

/** Formats write arguments with or without spaces. */
function wordOf({ function: { name, arguments: args } }: ToolCall): string {
  try {
    return JSON.stringify([name, JSON.parse(args || '{}')]);
  } catch {
    return JSON.stringify([name, args]);
  }
}

const callsOf = ({ tool_calls = [] }: ChatMessage): ToolCall[] => tool_calls;
const idsOf = (message: ChatMessage): string[] => callsOf(message).map(({ id }) => id);
const said = (message: ChatMessage): string => normalizeWhitespace(textOf(message));
