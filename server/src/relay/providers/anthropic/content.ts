import type { Conversation, Json, Part, TextPart, Turn } from '../../wire/conversation.ts';
import { parseInput } from '../../wire/messages/answer.ts';
import { searchBack } from '../../wire/messages/searches.ts';
import { isAnthropicSignature } from '../../wire/signature.ts';
import { distinctCalls } from '../kind/distinct-calls.ts';
import { placeholderText } from '../kind/placeholder-text.ts';

const cache = (part: { cacheControl?: unknown }): Json =>
  part.cacheControl === undefined ? {} : { cache_control: part.cacheControl };

/** Merges adjacent turns of one role, since roles must alternate in this format. */
export function buildMessages(conversation: Conversation): Json[] {
  const messages: { role: string; content: Json[] }[] = [];
  for (const turn of distinctCalls(conversation.turns, safeId)) {
    const content = withoutLastThoughts(buildBlocks(turn.parts));
    if (content.length === 0) continue;
    const last = messages.at(-1);
    if (last?.role === turn.role) last.content.push(...content);
    else messages.push({ role: turn.role, content });
  }
  for (const message of messages) if (message.role === 'user') resultsFirst(message);
  endWithWords(messages);
  const placeholder = { role: 'user', content: [{ type: 'text', text: placeholderText }] };
  // Without an empty last message, the answer before it would be one to continue.
  if (messages.at(-1)?.role === 'assistant' && conversation.turns.at(-1)?.role === 'user') messages.push(placeholder);
  // Other formats allow conversations that start with the assistant, or have only instructions; here the user must
  // start.
  if (messages[0]?.role !== 'user') messages.unshift(placeholder);
  return messages;
}

const isThought = ({ type }: Json): boolean => type === 'thinking' || type === 'redacted_thinking';

/** Anthropic refuses turns that end in thoughts, as those do that were cut off while thinking. */
const withoutLastThoughts = (blocks: Json[]): Json[] =>
  blocks.slice(0, blocks.findLastIndex((block) => !isThought(block)) + 1);

/**
 * Anthropic refuses a final assistant turn with thoughts, or that ends in white space; one of only white space is
 * dropped.
 */
function endWithWords(messages: { role: string; content: Json[] }[]): void {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return;
  last.content = last.content.filter((block) => !isThought(block));
  const block = last.content.at(-1);
  if (typeof block?.text === 'string') block.text = block.text.trimEnd();
  if (block?.text === '') last.content.pop();
  if (last.content.length === 0) messages.pop();
  if (block === undefined || block.text === '') endWithWords(messages);
}

/** Anthropic refuses turns with anything before the tool results. Their order is kept. */
function resultsFirst(message: { content: Json[] }): void {
  if (!message.content.some((block) => block.type === 'tool_result')) return;
  message.content = [
    ...message.content.filter((block) => block.type === 'tool_result'),
    ...message.content.filter((block) => block.type !== 'tool_result'),
  ];
}

export const buildSystem = (system: TextPart[]): Json[] => buildBlocks(system);

const isText = ({ type }: Json): boolean => type === 'text';
const hasWords = ({ text }: Json): boolean => typeof text === 'string' && text.trim() !== '';

/** Anthropic refuses content whose texts are all white space, as others write before calls; beside words it may be. */
function buildBlocks(parts: readonly Part[]): Json[] {
  const blocks = parts.flatMap((part) => buildBlock(part));
  return blocks.some(hasWords) ? blocks : blocks.filter((block) => !isText(block));
}

function buildBlock(part: Part): Json[] {
  switch (part.type) {
    case 'text':
      // Empty text blocks are refused.
      return part.text === '' ? [] : [{ type: 'text', text: part.text, ...cache(part) }];
    case 'image':
      return [{ type: 'image', source: buildSource(part.source), ...cache(part) }];
    case 'file': {
      const source =
        'text' in part.source
          ? { type: 'text', media_type: 'text/plain', data: part.source.text }
          : buildSource(part.source);
      return [{ type: 'document', source, ...(part.name !== undefined && { title: part.name }), ...cache(part) }];
    }
    case 'tool_call':
      return [
        { type: 'tool_use', id: safeId(part.id), name: part.name, input: parseInput(part.arguments), ...cache(part) },
      ];
    case 'tool_result':
      return [
        {
          type: 'tool_result',
          tool_use_id: safeId(part.callId),
          content: buildBlocks(part.content),
          ...(part.isError && { is_error: true }),
          ...cache(part),
        },
      ];
    case 'thinking':
      // Foreign or unsigned reasoning is dropped; Anthropic's own is returned byte for byte.
      return isAnthropicSignature(part.signature)
        ? [{ type: 'thinking', thinking: part.text, signature: part.signature }]
        : [];
    case 'redacted_thinking':
      return [{ type: 'redacted_thinking', data: part.data }];
    case 'search':
      return searchBack(part);
    case 'raw':
      return part.format === 'messages' ? [part.value] : [];
    case 'audio':
      return [];
  }
}

type Source = Extract<Part, { type: 'image' }>['source'];

/** Data URLs as base64, other URLs as they are. */
function buildSource(source: Source): Json {
  if ('data' in source) return { type: 'base64', media_type: source.mediaType, data: source.data };
  return 'url' in source ? { type: 'url', url: source.url } : { type: 'file', file_id: source.fileId };
}

/** Replaces characters of other vendors' ids that Anthropic refuses, consistently for call and result. */
export const safeId = (id: string): string => id.replace(/[^a-zA-Z0-9_-]/g, '_');

/**
 * Anthropic refuses to enable thinking where an answer is to be continued, and within a tool loop whose call was made
 * without it.
 */
export function mayThink(turns: Turn[]): boolean {
  const at = turns.findLastIndex((turn) => turn.role === 'assistant');
  if (at < 0) return true;
  const since = turns.slice(at + 1);
  if (since.length === 0) return false;
  return !since.some(({ parts }) => parts.some(isResult)) || turns[at]!.parts.some(isItsThought);
}

const isResult = ({ type }: Part): boolean => type === 'tool_result';

const isItsThought = (part: Part): boolean =>
  part.type === 'redacted_thinking' || (part.type === 'thinking' && isAnthropicSignature(part.signature));
