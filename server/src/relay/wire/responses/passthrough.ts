import { openaiError } from '../../../lib/error-shapes.ts';
import type { AppError } from '../../../lib/errors.ts';
import type { Usage } from '../../../lib/money.ts';
import { sseEvent } from '../../../lib/sse.ts';
import type { FrameEditor } from '../chat/passthrough.ts';
import { isObject, type Json } from '../conversation.ts';
import { ModelRewriter } from '../rewrite-model.ts';
import { renderResponsesUsage } from '../usage.ts';
import { OwnIds, rewriteResponse } from './rewrite-response.ts';
import type { ResponsesStreamOptions } from './stream.ts';

const encoder = new TextEncoder();
const lastEvents = new Set(['response.completed', 'response.incomplete']);

/**
 * Responses to responses: events are forwarded with our ids, the model name and stored fields replaced. Most are pieces
 * of an item, in which one value is replaced without parsing.
 */
export class ResponsesPassthrough implements FrameEditor {
  readonly #ids: OwnIds;
  /** By the upstream's item id. */
  readonly #names = new Map<string, ModelRewriter>();
  #response: Json | undefined;
  /** Finished items, for a response that breaks off. */
  readonly #done = new Map<unknown, Json>();
  #number = -1;
  #last: Json | undefined;

  constructor(private readonly options: ResponsesStreamOptions) {
    this.#ids = new OwnIds(options.id);
  }

  edit(frame: Uint8Array, event: Json): Uint8Array {
    if (typeof event.sequence_number === 'number') this.#number = event.sequence_number;
    if (!isObject(event.response) && !isObject(event.item))
      return typeof event.item_id === 'string' ? this.#nameOf(event.item_id).apply(frame) : frame;
    const own = { ...event };
    if (isObject(event.item)) own.item = this.#ids.item(event.item);
    if (event.type === 'response.output_item.done') this.#done.set(event.output_index, own.item as Json);
    if (isObject(event.response)) own.response = this.#responseOf(`${event.type}`, event.response);
    if (lastEvents.has(`${event.type}`)) this.#last = own;
    return encoder.encode(written(own));
  }

  beforeEnd(): string {
    return '';
  }

  /**
   * For an upstream without usage, or with one that is not believed; `onEnded` gets the same object, so the stored
   * response has the usage, too.
   */
  withUsage(last: Uint8Array, usage: Usage): Uint8Array {
    const end = this.#last;
    if (!end || !isObject(end.response)) return last;
    const before = encoder.encode(written(end)).length;
    end.response.usage = renderResponsesUsage(usage);
    return Buffer.concat([last.subarray(0, last.length - before), encoder.encode(written(end))]);
  }

  /** Undefined if there is no response yet that could fail. */
  fail(error: AppError): string | undefined {
    if (!this.#response) return undefined;
    const { code, message } = openaiError(error);
    const response = {
      ...this.#response,
      status: 'failed',
      error: { code, message },
      output: [...this.#done].sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item),
    };
    this.options.onEnded?.(response);
    return written({ type: 'response.failed', sequence_number: this.#number + 1, response });
  }

  #responseOf(type: string, body: Json): Json {
    const response = rewriteResponse(body, this.options, this.#ids);
    this.#response = response;
    if (lastEvents.has(type)) this.options.onEnded?.(response);
    return response;
  }

  #nameOf(id: string): ModelRewriter {
    const known = this.#names.get(id);
    if (known) return known;
    const name = new ModelRewriter(this.#ids.of(id), '"item_id":');
    this.#names.set(id, name);
    return name;
  }
}

const written = (event: Json): string => sseEvent(`${event.type}`, JSON.stringify(event));
