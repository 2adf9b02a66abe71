import type { Usage } from '../../../lib/money.ts';
import { sseEvent } from '../../../lib/sse.ts';
import type { FrameEditor } from '../chat/passthrough.ts';
import { isObject, type Json } from '../conversation.ts';
import { ModelRewriter } from '../rewrite-model.ts';
import { readMessagesUsage, renderMessagesUsage, tokens } from '../usage.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface PassthroughOptions {
  model: string;
  id: string;
  promptTokens?: number;
  mayBePrompt?: (tokens: number) => boolean;
}

/**
 * Messages to messages: only `message_start` contains a model name; everything else is forwarded byte for byte,
 * including signatures. The usage is held until the end, where it is known whether it is what is charged.
 */
export class MessagesPassthrough implements FrameEditor {
  readonly #model: ModelRewriter;
  /** The latest `message_delta`. */
  #told: { frame: Uint8Array; json: Json } | undefined;
  #held = false;

  constructor(private readonly options: PassthroughOptions) {
    this.#model = new ModelRewriter(options.model);
  }

  edit(frame: Uint8Array, json: Json): Uint8Array | null {
    const before = this.#held ? this.#told!.frame : undefined;
    this.#held = json.type === 'message_delta';
    if (this.#held) {
      // Copied, because the connection reuses its buffer.
      this.#told = { frame: new Uint8Array(frame), json };
      return before ?? null;
    }
    const own = json.type === 'message_start' ? this.#started(frame, json) : frame;
    return before ? Buffer.concat([before, own]) : own;
  }

  /**
   * Anthropic's libraries fail at the end of a message that starts without usage, which they add to. A count that cannot
   * be true is not charged, so it is not told either; the exact one follows at the end.
   */
  #started(frame: Uint8Array, json: Json): Uint8Array {
    const { message } = json;
    if (!isObject(message) || this.#believes(message.usage)) return this.#model.apply(frame);
    const { id, content } = message;
    const { options } = this;
    const own = {
      ...message,
      ...{ id: typeof id === 'string' ? id : options.id, type: 'message', role: 'assistant', model: options.model },
      content: Array.isArray(content) ? content : [],
      usage: { input_tokens: options.promptTokens ?? 0, output_tokens: 1 },
    };
    return encoder.encode(sseEvent('message_start', JSON.stringify({ ...json, message: own })));
  }

  /** Zero is told by upstreams that count at the end. */
  #believes(usage: unknown): boolean {
    if (!isObject(usage)) return false;
    if (usage.input_tokens !== undefined && tokens(usage.input_tokens) === undefined) return false;
    const { promptTokens } = readMessagesUsage(usage)!;
    return promptTokens === 0 || (this.options.mayBePrompt?.(promptTokens) ?? true);
  }

  beforeEnd(): string {
    return this.#held ? decoder.decode(this.#told!.frame) : '';
  }

  withUsage(last: Uint8Array, usage: Usage): Uint8Array {
    if (!this.#told) return last;
    const { frame, json } = this.#told;
    const at = Buffer.from(last.buffer, last.byteOffset, last.byteLength).lastIndexOf(frame);
    if (at === -1) return last;
    const own = encoder.encode(
      sseEvent('message_delta', JSON.stringify({ ...json, usage: renderMessagesUsage(usage) })),
    );
    return Buffer.concat([last.subarray(0, at), own, last.subarray(at + frame.length)]);
  }
}
