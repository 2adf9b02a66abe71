import { errorShapes } from '../../../lib/error-shapes.ts';
import type { AppError } from '../../../lib/errors.ts';
import type { Usage } from '../../../lib/money.ts';
import { sseData } from '../../../lib/sse.ts';
import type { StreamRenderer } from '../chat/stream.ts';
import { type Citation, mostLetters } from '../citations.ts';
import type { Delta, Finish, Json } from '../conversation.ts';
import { parseWithArguments } from '../exact-arguments.ts';
import type { SearchPart } from '../search.ts';
import { renderGeminiFinish } from './finish.ts';
import { writeGrounding } from './grounding.ts';
import { writeMedia } from './media.ts';
import { PartWriter } from './part-writer.ts';
import { renderGeminiUsage } from './usage.ts';

interface GeminiStreamOptions {
  model: string;
  id: string;
  showThoughts?: true | undefined;
}

interface Call {
  id: string;
  name: string;
  arguments: string;
  signature?: string;
}

/** An error inside a stream, which Google's clients throw. */
export const geminiErrorEvent = (error: AppError): string => sseData(JSON.stringify(errorShapes.google(error)));

/** Each event is an answer with the new parts. Calls are sent whole, so they wait for their last chunk. */
export class GeminiStream implements StreamRenderer {
  readonly #writer: PartWriter;
  readonly #calls = new Map<number, Call>();
  /** Citations, sent with the last event, with positions in the whole text. */
  readonly #cited: Citation[] = [];
  readonly #searches: SearchPart[] = [];
  #said = '';
  #finish: Finish = 'stop';
  #usage: Usage | undefined;
  #extra: Json | undefined;

  constructor(private readonly options: GeminiStreamOptions) {
    this.#writer = new PartWriter({ answer: true, showThoughts: options.showThoughts });
  }

  push(delta: Delta): string {
    switch (delta.type) {
      case 'text':
        if (!delta.refusal && this.#said.length < mostLetters) this.#said += delta.text;
        return this.#say(this.#writer.text(delta.text));
      case 'citation':
        this.#cited.push(delta);
        return '';
      case 'search':
        this.#searches.push(delta);
        return '';
      case 'thinking':
        return this.#say(this.#writer.think(delta.text));
      case 'signature':
        this.#writer.sign(delta.signature);
        return '';
      case 'redacted_thinking':
        this.#writer.redact(delta.data);
        return '';
      case 'image':
        return this.#say(writeMedia(delta) ?? []);
      case 'tool_start':
        this.#calls.set(delta.index, callOf(delta));
        return '';
      case 'tool_args':
        this.#addArguments(delta.index, delta.args);
        return '';
      case 'finish':
        this.#finish = delta.finish;
        this.#extra = delta.extra;
        return '';
      case 'usage':
        this.#usage = delta.usage;
        return '';
      case 'end':
        return this.#end();
      default:
        return '';
    }
  }

  fail(error: AppError): string {
    return geminiErrorEvent(error);
  }

  #addArguments(index: number, args: string): void {
    const call = this.#calls.get(index);
    if (call) call.arguments += args;
  }

  #say(parts: Json[]): string {
    return parts.length === 0 ? '' : this.#event({ content: { parts, role: 'model' }, index: 0 });
  }

  #event(candidate: Json, beside?: Json): string {
    const { model, id } = this.options;
    return sseData(JSON.stringify({ candidates: [candidate], ...beside, modelVersion: model, responseId: id }));
  }

  #end(): string {
    const calls = [...this.#calls.values()].flatMap((call) => this.#writer.call(call));
    const left = [...calls, ...this.#writer.end()];
    const parts = left.length > 0 ? left : [{ text: '' }];
    const finishReason = renderGeminiFinish(this.#finish);
    const usage = this.#usage && { usageMetadata: renderGeminiUsage(this.#usage) };
    const grounding = writeGrounding(this.#cited, [{ partIndex: 0, text: this.#said, before: 0 }], this.#searches);
    const candidate = { content: { parts, role: 'model' }, finishReason, index: 0, ...grounding };
    return this.#event(candidate, { ...usage, ...this.#extra });
  }
}

const callOf = ({ id, name, signature }: Extract<Delta, { type: 'tool_start' }>): Call => ({
  id,
  name,
  arguments: '',
  ...(signature !== undefined && { signature }),
});

const dataPrefix = 'data:';

/** The last events with usage in the very last, for upstreams that report none. */
export function withGeminiUsage(events: string, usage: Usage): string {
  const at = events.lastIndexOf(`\n${dataPrefix}`) + 1;
  if (!events.startsWith(dataPrefix, at)) return events;
  const last = parseWithArguments(events.slice(at + dataPrefix.length)) as Json;
  return events.slice(0, at) + sseData(JSON.stringify({ ...last, usageMetadata: renderGeminiUsage(usage) }));
}
