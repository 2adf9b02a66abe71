import { isObject, type Json } from '../../wire/conversation.ts';
import type { Target } from '../kind.ts';
import { mergeBetas } from './request.ts';

/**
 * Claude at Amazon and Google is behind Anthropic's own service: a beta or a member that they do not know fails the whole request,
 * and clients such as Claude Code send those of Anthropic's with every one. What changes no answer is left out here; what does is
 * refused there, by its name.
 */
export type Betas = Readonly<Record<string, RegExp>>;

/** One beta of Anthropic's is several elsewhere. */
const namedElsewhere: Readonly<Record<string, string>> = {
  'advanced-tool-use-2025-11-20': 'tool-search-tool-2025-10-19,tool-examples-2025-10-29',
};

/** Those of the client that are known there, of this model. */
export function betasKnown(known: Betas, { clientHeaders, modelName }: Target): string[] {
  const asked = mergeBetas(clientHeaders?.['anthropic-beta']).split(',');
  const named = new Set(mergeBetas(...asked.flatMap((name) => [name, namedElsewhere[name]])).split(','));
  return Object.keys(known).filter((name) => named.has(name) && known[name]!.test(modelName));
}

/** A body as it is taken there. */
export function asResold({ cache_control: mark, diagnostics: _, ...body }: Json): Json {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const plain: Json = {
    ...body,
    ...(Array.isArray(body.system) && { system: body.system.map(withoutScope) }),
    ...(Array.isArray(body.tools) && { tools: body.tools.map(withoutScope).map(withoutEagerness) }),
    ...(messages.length > 0 && { messages: messages.map(messageWithoutScope) }),
  };
  return isObject(mark) ? withLastMarked(plain, withoutScope({ cache_control: mark }) as Json) : plain;
}

/** Who shares what is kept for later: it is kept all the same. */
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

/** Arguments then come in larger pieces. */
function withoutEagerness(tool: unknown): unknown {
  if (!isObject(tool) || !('eager_input_streaming' in tool)) return tool;
  const { eager_input_streaming: _, ...rest } = tool;
  return rest;
}

/** More are refused, by Anthropic too. */
const mostMarks = 4;
const unmarkable = new Set(['thinking', 'redacted_thinking']);

/** A mark beside the messages stands for one at the last block that can have it. */
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
