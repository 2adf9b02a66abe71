import { objectsIn } from '../../../lib/is-object.ts';
import { parseFrame, SseFramer, sseData, ssePing } from '../../../lib/sse.ts';
import { chatDone, type StreamRenderer } from '../chat/stream.ts';
import { isObject, type Json } from '../conversation.ts';
import { type CompletionOptions, completionChoice, isText, textObject } from './answer.ts';

const encoder = new TextEncoder();

/** Converts a chat's events to those of a text completion. */
export class CompletionEvents {
  readonly #framer = new SseFramer();
  /** Characters sent so far, by choice. */
  readonly #lengths = new Map<unknown, number>();

  constructor(private readonly options: CompletionOptions) {}

  take(events: Uint8Array | string): string {
    const bytes = typeof events === 'string' ? encoder.encode(events) : events;
    return this.#framer
      .push(bytes)
      .map((frame) => this.#frame(frame))
      .join('');
  }

  #frame(frame: Uint8Array): string {
    const event = parseFrame(frame);
    if (event === undefined) return ssePing;
    return event.data === '[DONE]' ? chatDone : this.#chunk(JSON.parse(event.data) as Json);
  }

  #chunk(chunk: Json): string {
    const { id, model, created } = this.options;
    const choices = objectsIn(chunk.choices);
    const said = isText(chunk) ? choices : choices.map((choice) => this.#choice(choice)).filter(saysSomething);
    if (said.length === 0 && !isObject(chunk.usage) && chunk.error === undefined) return '';
    return sseData(JSON.stringify({ ...chunk, id, model, created, object: textObject, choices: said }));
  }

  #choice(choice: Json): Json {
    const index = choice.index ?? 0;
    const before = this.#lengths.get(index);
    const echo = before === undefined ? this.options.echo : '';
    const made = completionChoice(choice, echo, before ?? 0);
    this.#lengths.set(index, (before ?? 0) + (made.text as string).length);
    return made;
  }
}

const saysSomething = ({ text, finish_reason, reasoning }: Json): boolean =>
  text !== '' || finish_reason !== null || reasoning !== undefined;

/** Renders deltas as a text completion. */
export const completionRenderer = (chat: StreamRenderer, options: CompletionOptions): StreamRenderer => {
  const events = new CompletionEvents(options);
  return {
    push: (delta) => events.take(chat.push(delta)),
    fail: (error) => events.take(chat.fail(error)),
  };
};

interface Events<Candidate> {
  candidate: Candidate;
  pump(write: (events: Uint8Array | string) => unknown): Promise<unknown>;
}

/** The same stream with its events rewritten. */
export function completionStream<Candidate>(chat: Events<Candidate>, options: CompletionOptions): Events<Candidate> {
  const events = new CompletionEvents(options);
  return {
    candidate: chat.candidate,
    pump: (write) =>
      chat.pump((chunk) => {
        const text = events.take(chunk);
        return text === '' ? undefined : write(encoder.encode(text));
      }),
  };
}
