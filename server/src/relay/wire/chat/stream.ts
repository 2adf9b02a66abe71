import { openaiError } from '../../../lib/error-shapes.ts';
import type { AppError } from '../../../lib/errors.ts';
import { sseData } from '../../../lib/sse.ts';
import type { Delta, Json } from '../conversation.ts';
import { renderChatUsage } from '../usage.ts';
import type { RenderOptions } from './answer.ts';

/** Turns deltas into the text of a client's event stream. */
export interface StreamRenderer {
  push(delta: Delta): string;
  /** The last thing written when a stream breaks; nothing may follow it. */
  fail(error: AppError): string;
}

/** Deltas that say nothing to the client yet. */
const silent = new Set<Delta['type']>(['start', 'choice', 'usage', 'error']);

export const chatDone = sseData('[DONE]');

/** An error inside a stream: readable as a chunk, and never mistaken for an end. */
export function chatErrorChunk(error: AppError, options: RenderOptions): string {
  return sseData(
    JSON.stringify({
      id: options.id,
      object: 'chat.completion.chunk',
      created: options.created,
      model: options.model,
      error: openaiError(error),
      choices: [{ index: 0, delta: {}, finish_reason: 'error' }],
    }),
  );
}

export function chatUsageChunk(usage: Json, options: RenderOptions): string {
  return sseData(
    JSON.stringify({
      id: options.id,
      object: 'chat.completion.chunk',
      created: options.created,
      model: options.model,
      choices: [],
      usage,
    }),
  );
}

export function chatStream(options: RenderOptions & { includeUsage: boolean }): StreamRenderer {
  const head =
    `{"id":${JSON.stringify(options.id)},"object":"chat.completion.chunk","created":${options.created},` +
    `"model":${JSON.stringify(options.model)},"choices":[{"index":0,"delta":`;
  const chunk = (delta: string, finish = 'null', extra?: Json): string =>
    `data: ${head}${delta},"logprobs":null,"finish_reason":${finish}}]${membersOf(extra)}}\n\n`;
  let started = false;
  let usage: Json | undefined;
  let thoughts = 0;

  const detail = (value: Json): string =>
    chunk(JSON.stringify({ reasoning_details: [{ ...value, index: thoughts++ }] }));

  function render(delta: Delta): string {
    switch (delta.type) {
      case 'text':
        return chunk(`{"content":${JSON.stringify(delta.text)}}`);
      case 'thinking':
        return chunk(`{"reasoning_content":${JSON.stringify(delta.text)}}`);
      case 'signature':
        return detail({ type: 'reasoning.text', signature: delta.signature });
      case 'redacted_thinking':
        return detail({ type: 'reasoning.encrypted', data: delta.data });
      case 'tool_start':
        return chunk(JSON.stringify({ tool_calls: [toolStart(delta)] }));
      case 'tool_args':
        return chunk(JSON.stringify({ tool_calls: [{ index: delta.index, function: { arguments: delta.args } }] }));
      case 'finish':
        return chunk('{}', JSON.stringify(delta.finish), delta.extra);
      case 'extra':
        return chunk('{}', 'null', delta.extra);
      case 'usage':
        usage = renderChatUsage(delta.usage);
        return '';
      case 'end':
        return (options.includeUsage && usage ? chatUsageChunk(usage, options) : '') + chatDone;
      default:
        return '';
    }
  }

  return {
    push(delta) {
      // The role comes first and alone, and only once there is something to say: it commits us to this upstream.
      if (started || (silent.has(delta.type) && !('sure' in delta))) return render(delta);
      started = true;
      return chunk('{"role":"assistant","content":""}') + render(delta);
    },
    fail: (error) => chatErrorChunk(error, options),
  };
}

const membersOf = (extra: Json | undefined): string =>
  extra === undefined ? '' : `,${JSON.stringify(extra).slice(1, -1)}`;

const toolStart = (delta: Extract<Delta, { type: 'tool_start' }>): Json => ({
  index: delta.index,
  id: delta.id,
  type: 'function',
  function: { name: delta.name, arguments: '' },
  ...(delta.signature !== undefined && { extra_content: { google: { thought_signature: delta.signature } } }),
});
