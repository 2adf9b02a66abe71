import { openaiError } from '../../../lib/error-shapes.ts';
import type { AppError } from '../../../lib/errors.ts';
import type { Usage } from '../../../lib/money.ts';
import { sseData } from '../../../lib/sse.ts';
import { chatAnnotation } from '../citations.ts';
import type { Delta, Json } from '../conversation.ts';
import { renderChatUsage } from '../usage.ts';
import { logprobsOf, type RenderOptions, renderImage } from './answer.ts';
import { customInput, customStart } from './custom-calls.ts';
import { oldFinish } from './legacy-functions.ts';
import { callDetail, reasoningFormats, redactedDetail, signatureDetail, textDetail } from './reasoning.ts';

/** Renders deltas as a client's event stream. */
export interface StreamRenderer {
  push(delta: Delta): string;
  /** The final event of a broken stream; nothing may follow it. */
  fail(error: AppError): string;
  /** The last text with our own usage, if the upstream sent none. */
  withUsage?(last: string, usage: Usage): string;
}

/** Deltas that show nothing to the client yet. */
const silent = new Set<Delta['type']>(['start', 'choice', 'usage', 'error', 'detail']);

export const chatDone = sseData('[DONE]');

/**
 * An error inside a stream: readable as a chunk, but never mistaken for an end. Omits the choice's `index`: libraries
 * that look for a chunk before an error, such as Vercel's for OpenAI, would otherwise take half an answer for a whole
 * one. The error comes first: others, such as go-openai, know one by how the line begins.
 */
export function chatErrorChunk(error: AppError, options: RenderOptions): string {
  return sseData(
    JSON.stringify({
      error: openaiError(error),
      id: options.id,
      object: 'chat.completion.chunk',
      created: options.created,
      model: options.model,
      choices: [{ delta: {}, finish_reason: 'error' }],
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

/** Inserts our own usage before the end marker of the last text. */
export function withChatUsage(last: string, usage: Usage, options: RenderOptions): string {
  const at = last.lastIndexOf('data:', last.lastIndexOf('[DONE]'));
  if (at === -1) return last;
  return withoutUsageChunk(last.slice(0, at)) + chatUsageChunk(renderChatUsage(usage), options) + last.slice(at);
}

/** Without the chunk of usage that ends them, if there is one: it is one line, as we write it. */
function withoutUsageChunk(chunks: string): string {
  const at = chunks.lastIndexOf('\n', chunks.length - 3) + 1;
  return chunks.includes('"choices":[],"usage":{', at) ? chunks.slice(0, at) : chunks;
}

/** Pieces of one thought share an index; a signature or any other output ends it. */
function detailIndexes(): { place(detail: Json): Json; close(): void } {
  let next = 0;
  let open = false;
  return {
    place(detail) {
      const isText = detail.type === 'reasoning.text';
      if (!isText || !open) next += 1;
      open = isText && detail.signature === undefined;
      return { ...detail, index: next - 1 };
    },
    close() {
      open = false;
    },
  };
}

/** `upstream`: the answer's format, which tells whose reasoning it contains. */
type StreamOptions = RenderOptions & { includeUsage: boolean; upstream?: string };

export function chatStream(options: StreamOptions): StreamRenderer {
  const head =
    `{"id":${JSON.stringify(options.id)},"object":"chat.completion.chunk","created":${options.created},` +
    `"model":${JSON.stringify(options.model)},"choices":[{"index":0,"delta":`;
  const chunk = (delta: string, finish = 'null', extra?: Json, logprobs?: unknown[]): string =>
    sseData(
      `${head}${delta},"logprobs":${JSON.stringify(logprobsOf(logprobs))},"finish_reason":${finish}}]${membersOf(extra)}}`,
    );
  let started = false;
  let usage: Json | undefined;
  /** Sent only at the end: some vendors repeat it with every chunk. */
  let finish: Extract<Delta, { type: 'finish' }> | undefined;
  const format = reasoningFormats[options.upstream ?? ''];
  const details = detailIndexes();
  const detail = (value: Json, beside?: Json): string =>
    chunk(JSON.stringify({ ...beside, reasoning_details: [details.place(value)] }));

  /** The legacy form has room for one call. */
  const oldCall = (index: number, call: Json): string =>
    index === 0 ? chunk(JSON.stringify({ function_call: call })) : '';

  /** Arguments of free-text calls, sent when complete. */
  const custom = new Map<number, string>();
  const inputs = (): string =>
    [...custom].map(([index, args]) => chunk(JSON.stringify({ tool_calls: [customInput(index, args)] }))).join('');

  const ending = (): string =>
    finish === undefined
      ? ''
      : inputs() +
        chunk('{}', JSON.stringify(options.oldFunctions ? oldFinish(finish.finish) : finish.finish), finish.extra);

  const startOf = (delta: Extract<Delta, { type: 'tool_start' }>): Json =>
    custom.has(delta.index) ? customStart(delta.index, delta.id, delta.name) : toolStart(delta);

  function render(delta: Delta): string {
    switch (delta.type) {
      case 'text':
        details.close();
        return chunk(
          `{"${delta.refusal ? 'refusal' : 'content'}":${JSON.stringify(delta.text)}}`,
          'null',
          undefined,
          delta.logprobs,
        );
      case 'citation':
        return chunk(JSON.stringify({ annotations: [chatAnnotation(delta)] }));
      case 'thinking':
        return format
          ? detail(textDetail(delta.text, format), { reasoning_content: delta.text })
          : chunk(`{"reasoning_content":${JSON.stringify(delta.text)}}`);
      case 'signature':
        return detail(signatureDetail(delta.signature));
      case 'redacted_thinking':
        return detail(redactedDetail(delta.data));
      case 'image':
        details.close();
        return chunk(JSON.stringify({ images: renderImage(delta) }));
      case 'tool_start':
        if (options.oldFunctions) return oldCall(delta.index, { name: delta.name, arguments: '' });
        details.close();
        if (options.customTools?.has(delta.name)) custom.set(delta.index, '');
        return delta.signature === undefined
          ? chunk(JSON.stringify({ tool_calls: [startOf(delta)] }))
          : detail(callDetail(delta.id, delta.signature), { tool_calls: [startOf(delta)] });
      case 'tool_args':
        if (options.oldFunctions) return oldCall(delta.index, { arguments: delta.args });
        if (custom.has(delta.index)) {
          custom.set(delta.index, custom.get(delta.index) + delta.args);
          return '';
        }
        return chunk(JSON.stringify({ tool_calls: [{ index: delta.index, function: { arguments: delta.args } }] }));
      case 'finish':
        finish = delta;
        return '';
      case 'extra':
        return chunk('{}', 'null', delta.extra);
      case 'usage':
        usage = renderChatUsage(delta.usage);
        return '';
      case 'end':
        return ending() + (options.includeUsage && usage ? chatUsageChunk(usage, options) : '') + chatDone;
      default:
        return '';
    }
  }

  return {
    push(delta) {
      // The role is sent first and alone, once there is output: it commits us to this upstream.
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
