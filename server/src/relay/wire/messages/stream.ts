import { errorShapes } from '../../../lib/error-shapes.ts';
import type { AppError } from '../../../lib/errors.ts';
import type { Usage } from '../../../lib/money.ts';
import { sseEvent } from '../../../lib/sse.ts';
import { type CallDelta, CallSequence } from '../call-sequence.ts';
import type { StreamRenderer } from '../chat/stream.ts';
import type { Citation } from '../citations.ts';
import type { Delta, Finish, Json } from '../conversation.ts';
import type { SearchPart } from '../search.ts';
import { markGemini } from '../signature.ts';
import { renderMessagesUsage } from '../usage.ts';
import { renderStopReason } from './answer.ts';
import { writeCitation } from './citations.ts';
import { writeSearch } from './searches.ts';

export interface MessagesStreamOptions {
  model: string;
  id: string;
  /** Sent with `message_start`, before the upstream's own count is known. */
  promptTokens: number;
  requestId?: string;
}

const event = (data: Json & { type: string }): string => sseEvent(data.type, JSON.stringify(data));

export const messagesErrorEvent = (error: AppError, requestId?: string): string =>
  sseEvent('error', JSON.stringify(errorShapes.anthropic(error, requestId)));

export const messagesPing = event({ type: 'ping' });
export const messagesStop = event({ type: 'message_stop' });

/** Deltas that this format cannot express, or not before there is output. */
const silent = new Set<Delta['type']>(['start', 'choice', 'error', 'extra', 'detail']);

/**
 * One block is open at a time, with ascending indexes. Interleaved calls wait until the open one is complete, as a
 * closed block cannot be reopened.
 */
export class MessagesStream implements StreamRenderer {
  #started = false;
  #index = -1;
  #open: 'text' | 'thinking' | 'tool' | undefined;
  readonly #calls = new CallSequence();
  readonly #cited: Citation[] = [];
  #finish: Finish = 'stop';
  #stopSequence: string | undefined;
  #usage: Usage | undefined;
  #extra: Json | undefined;

  constructor(private readonly options: MessagesStreamOptions) {}

  push(delta: Delta): string {
    if (delta.type === 'usage') {
      this.#usage = delta.usage;
      return '';
    }
    // Nothing is sent before there is output, since that commits us to this upstream.
    if (silent.has(delta.type)) return '';
    const start = this.#started ? '' : this.#start();
    return start + this.#render(delta);
  }

  withUsage(last: string, usage: Usage): string {
    const at = last.lastIndexOf('event: message_delta\n');
    return at === -1 ? last : last.slice(0, at) + this.#ending(usage);
  }

  fail(error: AppError): string {
    return messagesErrorEvent(error, this.options.requestId);
  }

  #start(): string {
    this.#started = true;
    const usage = this.#usage ?? { promptTokens: this.options.promptTokens, completionTokens: 0 };
    const message = {
      id: this.options.id,
      type: 'message',
      role: 'assistant',
      model: this.options.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...renderMessagesUsage(usage), output_tokens: 1 },
    };
    return event({ type: 'message_start', message }) + messagesPing;
  }

  #render(delta: Delta): string {
    switch (delta.type) {
      case 'text':
        return this.#ensureText() + this.#delta({ type: 'text_delta', text: delta.text });
      case 'citation':
        this.#cited.push(delta);
        // Another open block is not complete yet.
        return this.#open === 'text' ? this.#ensureText() : '';
      case 'thinking':
        return this.#ensureThinking() + this.#delta({ type: 'thinking_delta', thinking: delta.text });
      case 'signature':
        return (
          this.#ensureThinking() + this.#delta({ type: 'signature_delta', signature: delta.signature }) + this.#close()
        );
      case 'redacted_thinking':
        return this.#flushCalls() + this.#block({ type: 'redacted_thinking', data: delta.data }) + this.#close();
      case 'search':
        return this.#search(delta);
      case 'tool_start':
        return this.#write(this.#calls.start(delta));
      case 'tool_args':
        return this.#write(this.#calls.args(delta));
      case 'finish':
        this.#finish = delta.finish;
        this.#stopSequence = delta.stopSequence;
        this.#extra = delta.extra;
        return '';
      case 'end':
        return this.#end();
      default:
        return '';
    }
  }

  #search(search: SearchPart): string {
    const [{ input, ...call }, result] = writeSearch(search);
    return (
      this.#flushCalls() +
      this.#block({ ...call, input: {} }) +
      this.#delta({ type: 'input_json_delta', partial_json: JSON.stringify(input) }) +
      this.#block(result) +
      this.#close()
    );
  }

  #block(block: Json, kind?: 'text' | 'thinking' | 'tool'): string {
    const closed = this.#close();
    this.#open = kind ?? 'text';
    this.#index += 1;
    return closed + event({ type: 'content_block_start', index: this.#index, content_block: block });
  }

  #ensure(kind: 'text' | 'thinking', block: Json): string {
    if (this.#open === kind) return '';
    return this.#flushCalls() + this.#block(block, kind);
  }

  /** Includes citations that arrived while no text was open. */
  #ensureText(): string {
    const opened = this.#ensure('text', { type: 'text', text: '' });
    const named = this.#cited
      .splice(0)
      .map((one) => this.#delta({ type: 'citations_delta', citation: writeCitation(one) }));
    return opened + named.join('');
  }

  #ensureThinking(): string {
    return this.#ensure('thinking', { type: 'thinking', thinking: '', signature: '' });
  }

  #delta(delta: Json): string {
    return event({ type: 'content_block_delta', index: this.#index, delta });
  }

  #close(): string {
    if (this.#open === undefined) return '';
    this.#open = undefined;
    return event({ type: 'content_block_stop', index: this.#index });
  }

  #write(calls: CallDelta[]): string {
    return calls
      .map((delta) =>
        delta.type === 'tool_start'
          ? this.#openTool(delta)
          : this.#delta({ type: 'input_json_delta', partial_json: delta.args }),
      )
      .join('');
  }

  #openTool({ id, name, signature }: Extract<CallDelta, { type: 'tool_start' }>): string {
    const signed =
      signature === undefined
        ? ''
        : this.#block({ type: 'thinking', thinking: '', signature: '' }, 'thinking') +
          this.#delta({ type: 'signature_delta', signature: markGemini(signature) });
    return signed + this.#block({ type: 'tool_use', id, name, input: {} }, 'tool');
  }

  #flushCalls(): string {
    return this.#write(this.#calls.flush());
  }

  #end(): string {
    const usage = this.#usage ?? { promptTokens: this.options.promptTokens, completionTokens: 0 };
    const named = this.#cited.length > 0 ? this.#ensureText() : '';
    return named + this.#flushCalls() + this.#close() + this.#ending(usage);
  }

  #ending(usage: Usage): string {
    const stopSequence = this.#stopSequence ?? null;
    const delta = { stop_reason: renderStopReason(this.#finish, this.#stopSequence), stop_sequence: stopSequence };
    return event({ type: 'message_delta', delta, usage: renderMessagesUsage(usage), ...this.#extra }) + messagesStop;
  }
}
