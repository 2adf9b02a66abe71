import { AppError } from '../../../../lib/errors.ts';
import { randomString } from '../../../../lib/ids.ts';
import { maybeJson } from '../../../../lib/maybe-json.ts';
import type { SocketListener } from '../../../../lib/socket-listener.ts';
import { isObject, type Json } from '../../../wire/conversation.ts';
import { DemoAnswer, type Speaker } from './answer.ts';

const idOf = (start: string): string => `${start}_${randomString(21)}`;
const pcm = { type: 'audio/pcm', rate: 24_000 };

/** Far more than is ever read; bounds memory. */
const mostLetters = 500_000;
const mostWaiting = 500;
const tooLong = (param: string): AppError =>
  new AppError('context_length_exceeded', 'The session is too long.', { param });

/** Merges a session update into an object. */
function merged(old: Json, update: Json): Json {
  const news = Object.entries(update).map(([name, value]) => {
    const before = old[name];
    return [name, isObject(before) && isObject(value) ? merged(before, value) : value];
  });
  return { ...old, ...Object.fromEntries(news) };
}

const speakingSession = (model: string): Json => ({
  ...{ object: 'realtime.session', type: 'realtime', id: idOf('sess'), model },
  ...{ output_modalities: ['audio'], instructions: '', tools: [], tool_choice: 'auto', max_output_tokens: 'inf' },
  audio: {
    input: { format: pcm, transcription: null, turn_detection: null },
    output: { format: pcm, voice: 'alloy', speed: 1 },
  },
});

const transcribingSession = (model: string): Json => ({
  ...{ object: 'realtime.transcription_session', type: 'transcription', id: idOf('sess') },
  audio: { input: { format: pcm, transcription: { model }, turn_detection: null } },
});

/** The built-in provider's side of a session: OpenAI's events in order, with the demo chat's words and tones. */
export class DemoRealtime implements Speaker {
  readonly items: Json[] = [];
  session: Json;
  #listener: SocketListener | null = null;
  #paused = true;
  #closed = false;
  #outbox: Json[] = [];
  #soundBytes = 0;
  #answer: DemoAnswer | null = null;
  #letters = 0;

  constructor(
    readonly model: string,
    readonly paceMs = 12,
    readonly transcribes = false,
  ) {
    this.session = transcribes ? transcribingSession(model) : speakingSession(model);
    this.tell({ type: 'session.created', session: this.session });
  }

  listen(listener: SocketListener): void {
    this.#listener = listener;
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    while (!this.#paused && !this.#closed) {
      const event = this.#outbox.shift();
      if (!event) return;
      this.#listener?.message(Buffer.from(JSON.stringify(event)), false);
    }
  }

  ping(): void {
    this.#listener?.heard();
  }

  close(code: number, reason = ''): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#answer?.cancel();
    this.#listener?.closed(code, reason);
  }

  tell(event: Json): void {
    if (this.#closed) return;
    this.#outbox.push({ event_id: idOf('event'), ...event });
    if (!this.#paused) this.resume();
  }

  send(payload: string | Uint8Array): void {
    const event = typeof payload === 'string' ? maybeJson(payload) : undefined;
    try {
      this.#act(isObject(event) ? event : {});
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#refuse(error, event);
    }
  }

  /** Nothing is buffered here; but a client that sends without reading is throttled. */
  get unsentBytes(): number {
    return this.waiting > mostWaiting ? Number.POSITIVE_INFINITY : 0;
  }

  get waiting(): number {
    return this.#outbox.length;
  }

  add(item: Json): Json {
    const previous = this.items.at(-1)?.id ?? null;
    const added = { object: 'realtime.item', id: idOf('item'), status: 'completed', ...item };
    this.#letters += JSON.stringify(added).length;
    if (this.#letters > mostLetters) throw tooLong('item');
    this.items.push(added);
    this.tell({ type: 'conversation.item.added', previous_item_id: previous, item: added });
    return added;
  }

  #act(event: Json): void {
    const acts: Record<string, () => void> = {
      'session.update': () => {
        const session = merged(this.session, isObject(event.session) ? event.session : {});
        if (JSON.stringify(session).length > mostLetters) throw tooLong('session');
        this.session = session;
        this.tell({ type: 'session.updated', session: this.session });
      },
      'conversation.item.create': () => {
        if (!isObject(event.item)) throw new AppError('invalid_value', `'item' must be an object.`, { param: 'item' });
        const item = this.add(event.item);
        this.tell({ type: 'conversation.item.done', previous_item_id: null, item });
      },
      'input_audio_buffer.append': () => {
        this.#soundBytes += typeof event.audio === 'string' ? (event.audio.length * 3) / 4 : 0;
      },
      'input_audio_buffer.clear': () => {
        this.#soundBytes = 0;
        this.tell({ type: 'input_audio_buffer.cleared' });
      },
      'input_audio_buffer.commit': () => this.#commit(),
      'response.create': () => this.#respond(isObject(event.response) ? event.response : {}),
      'response.cancel': () => this.#answer?.cancel(),
    };
    const { type } = event;
    if (typeof type !== 'string' || !Object.hasOwn(acts, type))
      throw new AppError('invalid_value', 'Unknown event type.', { param: 'type' });
    acts[type]!();
  }

  #commit(): void {
    if (this.#soundBytes === 0) throw new AppError('invalid_value', 'The audio buffer is empty.');
    const seconds = this.#soundBytes / 48_000;
    this.#soundBytes = 0;
    const id = idOf('item');
    this.tell({ type: 'input_audio_buffer.committed', previous_item_id: this.items.at(-1)?.id ?? null, item_id: id });
    const transcript = `${seconds.toFixed(1)} seconds of audio`;
    const content = [{ type: 'input_audio', transcript }];
    const item = this.add({ id, type: 'message', role: 'user', content });
    this.tell({ type: 'conversation.item.done', previous_item_id: null, item });
    const { audio } = this.session;
    if (isObject(audio) && isObject(audio.input) && isObject(audio.input.transcription))
      this.tell({
        ...{ type: 'conversation.item.input_audio_transcription.completed', item_id: id, content_index: 0, transcript },
        usage: { type: 'duration', seconds },
      });
  }

  /** One response at a time, as with OpenAI. */
  #respond(asked: Json): void {
    if (this.transcribes) throw new AppError('invalid_value', 'This session only transcribes.', { param: 'type' });
    if (this.#answer)
      throw new AppError('invalid_value', 'A response is already in progress. Wait for it to end or cancel it.');
    this.#answer = new DemoAnswer(this, { ...this.session, ...asked });
    const refuse = (error: unknown): void =>
      this.#refuse(
        error instanceof AppError ? error : new AppError('invalid_value', 'This request cannot be answered.'),
        {},
      );
    void this.#answer
      .give()
      .catch(refuse)
      .finally(() => {
        this.#answer = null;
      });
  }

  #refuse({ code, message, extras }: AppError, event: unknown): void {
    const about = isObject(event) && typeof event.event_id === 'string' ? event.event_id : null;
    const error = { type: 'invalid_request_error', code, message, param: extras.param ?? null, event_id: about };
    this.tell({ type: 'error', error });
  }
}
