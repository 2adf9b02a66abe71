import { table } from '../../../lib/table.ts';
import { isObject, type Json } from '../../wire/conversation.ts';
import type { Target } from '../kind.ts';
import { mergeBetas } from './request.ts';

/**
 * Amazon and Google lag behind Anthropic's own service: an unknown beta or member fails the whole request, and clients
 * such as Claude Code always send Anthropic's latest. What does not affect the answer is dropped here; the rest is
 * refused there by name.
 */
export type Betas = Readonly<Record<string, RegExp>>;

/** One beta of Anthropic's corresponds to several elsewhere. */
const namedElsewhere = table<string>({
  'advanced-tool-use-2025-11-20': 'tool-search-tool-2025-10-19,tool-examples-2025-10-29',
});

/** The client's betas that are known there for this model. */
export function betasKnown(known: Betas, { clientHeaders, modelName }: Target): string[] {
  const asked = mergeBetas(clientHeaders?.['anthropic-beta']).split(',');
  const named = new Set(mergeBetas(...asked.flatMap((name) => [name, namedElsewhere[name]])).split(','));
  return Object.keys(known).filter((name) => named.has(name) && known[name]!.test(modelName));
}

/** A body as accepted there. */
export function toReseller({ cache_control: mark, diagnostics: _, ...body }: Json): Json {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const plain: Json = {
    ...body,
    ...(Array.isArray(body.system) && { system: body.system.map(withoutScope) }),
    ...(Array.isArray(body.tools) && { tools: body.tools.map(withoutScope).map(withoutEagerness) }),
    ...(messages.length > 0 && { messages: messages.map(messageWithoutScope) }),
  };
  return isObject(mark) ? withLastMarked(plain, withoutScope({ cache_control: mark }) as Json) : plain;
}

/** The cache scope is dropped; caching still works. */
function withoutScope(block: unknown): unknown {
  if (!isObject(block)) return block;
  const { cache_control: mark, content } = block;
  const inner = Array.isArray(content) ? { content: content.map(withoutScope) } : {};
  if (!isObject(mark) || !('scope' in mark)) return { ...block, ...inner };
  const { scope: _, ...kept } = mark;
  return { ...block, ...inner, cache_control: kept };
}

const messageWithoutScope = (message: unknown): unknown =>
  isObject(message) && Array.isArray(message.content)
    ? { ...message, content: message.content.map(withoutScope) }
    : message;

/** Arguments then arrive in larger chunks. */
function withoutEagerness(tool: unknown): unknown {
  if (!isObject(tool) || !('eager_input_streaming' in tool)) return tool;
  const { eager_input_streaming: _, ...rest } = tool;
  return rest;
}

/** The maximum, also at Anthropic. */
const mostMarks = 4;
const unmarkable = new Set(['thinking', 'redacted_thinking']);

/** A top-level cache marker is moved to the last block that can carry it. */
function withLastMarked(body: Json, mark: Json): Json {
  const messages = body.messages as unknown[];
  const last = messages?.at(-1);
  const marks = JSON.stringify([body.system, body.tools, messages]).split('"cache_control":').length - 1;
  if (!isObject(last) || marks >= mostMarks) return body;
  const blocks = typeof last.content === 'string' ? [{ type: 'text', text: last.content }] : last.content;
  if (!Array.isArray(blocks)) return body;
  const place = blocks.findLastIndex(
    (block) => isObject(block) && !unmarkable.has(String(block.type)) && block.text !== '',
  );
  if (place < 0 || 'cache_control' in blocks[place]) return body;
  const content = blocks.with(place, { ...blocks[place], ...mark });
  return { ...body, messages: messages.with(-1, { ...last, content }) };
}
