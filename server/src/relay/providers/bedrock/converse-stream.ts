import { isObject, type Json } from '../../wire/conversation.ts';
import { endOf, newMessage, usageOf } from './converse-message.ts';
import { objectOf, textOf } from './fields.ts';
import type { FrameTranslator } from './received.ts';

/** Translates frames of `converse-stream` to Messages events. */
export class ConverseEvents implements FrameTranslator {
  /** Open blocks: their index there, and ours, which has no gaps. */
  readonly #open = new Map<unknown, number>();
  #blocks = 0;
  #stopReason: unknown;

  frame(type: string, payloadText: string): Json[] {
    const value = objectOf(JSON.parse(payloadText));
    switch (type) {
      case 'messageStart':
        return [{ type: 'message_start', message: newMessage() }];
      case 'contentBlockStart':
        return this.#start(value);
      case 'contentBlockDelta':
        return this.#delta(value.contentBlockIndex, objectOf(value.delta));
      case 'contentBlockStop':
        return this.#stop(value.contentBlockIndex);
      case 'messageStop':
        this.#stopReason = value.stopReason;
        return [];
      case 'metadata':
        return this.#finish(value.usage);
      default:
        return [];
    }
  }

  /** Usage follows the end of the message; if it is missing, the message has ended nevertheless. */
  end(): Json[] {
    return this.#finish(undefined);
  }

  /** Sent for tools only; other blocks start with their first delta. */
  #start({ contentBlockIndex: index, start }: Json): Json[] {
    const { toolUse } = objectOf(start);
    if (!isObject(toolUse)) return [];
    return this.#begin(index, { type: 'tool_use', id: toolUse.toolUseId, name: toolUse.name, input: {} });
  }

  #begin(index: unknown, block: Json): Json[] {
    if (this.#open.has(index)) return [];
    const place = this.#blocks++;
    this.#open.set(index, place);
    return [{ type: 'content_block_start', index: place, content_block: block }];
  }

  #delta(index: unknown, { text, toolUse, reasoningContent }: Json): Json[] {
    if (typeof text === 'string')
      return [...this.#begin(index, { type: 'text', text: '' }), this.#piece(index, { type: 'text_delta', text })];
    if (isObject(toolUse) && this.#open.has(index))
      return [this.#piece(index, { type: 'input_json_delta', partial_json: textOf(toolUse.input) })];
    return isObject(reasoningContent) ? this.#thought(index, reasoningContent) : [];
  }

  #thought(index: unknown, { text, signature, redactedContent }: Json): Json[] {
    if (redactedContent !== undefined)
      return this.#begin(index, { type: 'redacted_thinking', data: textOf(redactedContent) });
    const begun = this.#begin(index, { type: 'thinking', thinking: '', signature: '' });
    if (typeof signature === 'string') return [...begun, this.#piece(index, { type: 'signature_delta', signature })];
    return [...begun, this.#piece(index, { type: 'thinking_delta', thinking: textOf(text) })];
  }

  #piece(index: unknown, delta: Json): Json {
    return { type: 'content_block_delta', index: this.#open.get(index), delta };
  }

  #stop(index: unknown): Json[] {
    const place = this.#open.get(index);
    this.#open.delete(index);
    return place === undefined ? [] : [{ type: 'content_block_stop', index: place }];
  }

  #finish(usage: unknown): Json[] {
    if (this.#stopReason === undefined) return [];
    const end = endOf(this.#stopReason);
    this.#stopReason = undefined;
    const closed = [...this.#open.keys()].flatMap((index) => this.#stop(index));
    if ('error' in end) return [...closed, end.error];
    return [
      ...closed,
      {
        type: 'message_delta',
        delta: { stop_reason: end.reason, stop_sequence: null },
        usage: isObject(usage) ? usageOf(usage) : { output_tokens: 0 },
      },
      { type: 'message_stop' },
    ];
  }
}
