import { openaiError } from '../../../lib/error-shapes.ts';
import type { AppError } from '../../../lib/errors.ts';
import type { Usage } from '../../../lib/money.ts';
import { sseEvent } from '../../../lib/sse.ts';
import type { StreamRenderer } from '../chat/stream.ts';
import type { Delta, Finish, Json } from '../conversation.ts';
import { renderResponsesUsage } from '../usage.ts';
import { itemIds } from './item-ids.ts';
import { Output } from './output.ts';
import { type ResponseOptions, reasonOf, responseObject } from './response.ts';

export interface ResponsesStreamOptions extends ResponseOptions {
  /** Called with the finished response before its last bytes are delivered. */
  onEnded?: ((response: Json) => void) | undefined;
}

/** Deltas that show nothing to the client yet. */
const silent = new Set<Delta['type']>(['start', 'choice', 'usage', 'error', 'extra']);

/** Every event is numbered; the whole response is sent at its start and end. */
export class ResponsesStream implements StreamRenderer {
  #text = '';
  #next = 0;
  #started = false;
  readonly #output: Output;
  #finish: Finish = 'stop';
  #usage: Usage | undefined;
  #extra: Json | undefined;
  /** The last event, which may be rewritten with usage. */
  #last: { text: string; number: number; response: Json } | undefined;

  constructor(private readonly options: ResponsesStreamOptions) {
    this.#output = new Output(options.echo, (type, members) => this.#emit(type, members), itemIds(options.id));
  }

  push(delta: Delta): string {
    if (delta.type === 'usage') this.#usage = delta.usage;
    else if (delta.type === 'extra') this.#extra = { ...this.#extra, ...delta.extra };
    // Nothing is sent before there is output, since that commits us to this upstream.
    if (!this.#started && (!silent.has(delta.type) || 'sure' in delta)) this.#start();
    if (delta.type === 'finish') {
      this.#finish = delta.finish;
      this.#extra = delta.extra ? { ...this.#extra, ...delta.extra } : this.#extra;
    } else if (delta.type === 'end') this.#end();
    else this.#output.push(delta);
    return this.#taken();
  }

  /** An error event if there is no response yet, else a failed response. */
  fail(error: AppError): string {
    const told = openaiError(error);
    if (!this.#started) {
      const { code, message, param } = told;
      this.#emit('error', { code, message, param, error: told });
      return this.#taken();
    }
    this.#output.abandon();
    const { code, message } = told;
    const failed = responseObject(this.options, {
      status: 'failed',
      output: this.#output.items,
      usage: this.#usage,
      error: { code, message },
    });
    this.options.onEnded?.(failed);
    this.#emit('response.failed', { response: failed });
    return this.#taken();
  }

  withUsage(last: string, usage: Usage): string {
    const end = this.#last;
    if (!end || !last.endsWith(end.text)) return last;
    end.response.usage = renderResponsesUsage(usage);
    this.#next = end.number;
    this.#emit(`response.${end.response.status}`, { response: end.response });
    return last.slice(0, last.length - end.text.length) + this.#taken();
  }

  #start(): void {
    this.#started = true;
    const response = responseObject(this.options, { status: 'in_progress', output: [] });
    this.#emit('response.created', { response });
    this.#emit('response.in_progress', { response });
  }

  #end(): void {
    const reason = reasonOf(this.#finish);
    const status = reason ? 'incomplete' : 'completed';
    this.#output.close(status);
    const response = responseObject(this.options, {
      status,
      output: this.#output.items,
      usage: this.#usage,
      reason,
      extra: this.#extra,
    });
    this.options.onEnded?.(response);
    const number = this.#next;
    const before = this.#text.length;
    this.#emit(`response.${status}`, { response });
    this.#last = { text: this.#text.slice(before), number, response };
  }

  #emit(type: string, members: Json): void {
    this.#text += sseEvent(type, JSON.stringify({ type, sequence_number: this.#next, ...members }));
    this.#next += 1;
  }

  #taken(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }
}
