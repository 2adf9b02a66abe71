import type { AppError } from '../../lib/errors.ts';
import type { Usage } from '../../lib/money.ts';
import { lineEnd, oneLine } from '../../lib/one-line.ts';
import { parseFrame, type SseEvent, SseFramer, sseData, sseEvent, ssePing } from '../../lib/sse.ts';
import { chatPassthrough, type FrameEditor } from './chat/passthrough.ts';
import { PlainPieces } from './chat/plain-delta.ts';
import { type StreamRenderer, withChatUsage } from './chat/stream.ts';
import { failure, isObject, type Json, type UpstreamError } from './conversation.ts';
import { parserOf } from './exact-arguments.ts';
import { geminiPassthrough } from './gemini/passthrough.ts';
import { withGeminiUsage } from './gemini/stream.ts';
import { MessagesPassthrough } from './messages/passthrough.ts';
import { messagesPing } from './messages/stream.ts';
import { eachOutput } from './output.ts';
import { endMarks, newRenderer, type RelayStreamOptions, type StreamClient } from './renderers.ts';
import { ResponsesPassthrough } from './responses/passthrough.ts';
import { type AnswerSummary, AnswerWatch } from './watch.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const blankLine = encoder.encode('\n\n');
/** Something arrived, but there is nothing to write. */
const noBytes = new Uint8Array(0);

/**
 * For upstreams that speak the client's format, whose frames are forwarded. Without an editor, answers are parsed and
 * rendered.
 */
const editors: Partial<Record<StreamClient, (options: RelayStreamOptions) => FrameEditor>> = {
  chat: chatPassthrough,
  messages: (options) => new MessagesPassthrough(options),
  responses: (options) => new ResponsesPassthrough(options),
  gemini: geminiPassthrough,
};

/**
 * One streamed answer from upstream to client: bytes in, bytes out, only the current event is kept. `error` is set as
 * soon as the upstream reports one or sends garbage: then nothing more comes out, and the caller tries another
 * candidate, or writes `fail()` if bytes were already sent.
 */
export class RelayStream {
  readonly #framer = new SseFramer();
  readonly #watch: AnswerWatch;
  #rendering: StreamRenderer | undefined;
  readonly #editor: FrameEditor | undefined;
  readonly #parse: (text: string) => unknown;
  /** Set after the first frame, which tells who answers. */
  #quick: PlainPieces | undefined;

  constructor(private readonly options: RelayStreamOptions) {
    this.#watch = new AnswerWatch(options.expectsJson ?? false);
    this.#parse = parserOf(options.upstream);
    if (options.client === options.upstream) this.#editor = editors[options.client]?.(options);
  }

  /** Lazy: a forwarded stream needs it only if it breaks. */
  get #renderer(): StreamRenderer {
    this.#rendering ??= newRenderer(this.options);
    return this.#rendering;
  }

  get error(): UpstreamError | undefined {
    return this.#watch.error;
  }

  /** Whether something visible has arrived; until then another candidate may take over. */
  get hasOutput(): boolean {
    return this.#watch.hasOutput;
  }

  /** Web searches by the vendor so far. */
  get searches(): number {
    return this.#watch.searches;
  }

  /** The format's end marker has arrived; anything after it is ignored. */
  get ended(): boolean {
    return this.#watch.ended;
  }

  /** Takes bytes from `from` up to `to`; returns what goes to the client. */
  push(bytes: Uint8Array, from = 0, to = bytes.length): Uint8Array | null {
    const quick = this.#quick;
    const mayPass = quick !== undefined && this.#framer.idle && !this.ended && this.error === undefined;
    const first = mayPass ? quick.pass(bytes, from, to) : null;
    if (first === null) return this.#read(bytes.subarray(from, to));
    this.#watch.sawOutput();
    return quick!.next === to ? first : this.#passMore(quick!, first, bytes, to);
  }

  /** Several frames in one chunk, of which the first was forwarded. */
  #passMore(quick: PlainPieces, first: Uint8Array, bytes: Uint8Array, to: number): Uint8Array | null {
    const out = [first];
    let at = quick.next;
    for (let piece = quick.pass(bytes, at, to); piece; piece = quick.pass(bytes, at, to)) {
      out.push(piece);
      at = quick.next;
    }
    const rest = at < to ? this.#read(bytes.subarray(at, to)) : null;
    if (rest) out.push(rest);
    return join(out);
  }

  #read(chunk: Uint8Array): Uint8Array | null {
    let frames: Uint8Array[];
    try {
      frames = this.#framer.push(chunk);
    } catch (error) {
      this.#watch.observe({ type: 'error', error: failure(String(error)) });
      return null;
    }
    return this.#frames(frames);
  }

  /**
   * The upstream closed. `tail` is what the client still gets: an end, even if the upstream omitted its marker after
   * finishing, but none for a truncated answer.
   */
  end(): { tail: Uint8Array | null; summary: AnswerSummary } {
    const rest = this.#framer.end();
    const out: Uint8Array[] = [];
    // Some servers omit the last blank line, which clients need to see the event.
    const last = rest.length > 0 ? this.#frames([Buffer.concat([rest, blankLine])]) : null;
    if (last !== null) out.push(last);
    if (!this.ended && this.summary().complete) {
      const done = this.#done();
      if (done !== null) out.push(done);
    }
    return { tail: join(out), summary: this.summary() };
  }

  /** The current state, for a client that left. */
  summary(): AnswerSummary {
    return this.#watch.summary();
  }

  /**
   * The last bytes with our own usage, if the client asked for usage: the upstream sent none, or one that is not
   * believed.
   */
  withUsage(last: Uint8Array, usage: Usage): Uint8Array {
    const { client, includeUsage } = this.options;
    if (!includeUsage) return last;
    if (this.#editor?.withUsage) return this.#editor.withUsage(last, usage);
    const text = decoder.decode(last);
    if (this.#editor === undefined && this.#renderer.withUsage)
      return encoder.encode(this.#renderer.withUsage(text, usage));
    if (client === 'gemini') return encoder.encode(withGeminiUsage(text, usage));
    return client === 'chat' ? encoder.encode(withChatUsage(text, usage, this.options)) : last;
  }

  fail(error: AppError): Uint8Array {
    return encoder.encode(this.#editor?.fail?.(error) ?? this.#renderer.fail(error));
  }

  ping(): Uint8Array {
    return encoder.encode(this.options.client === 'messages' ? messagesPing : ssePing);
  }

  #frames(frames: Uint8Array[]): Uint8Array | null {
    const out: Uint8Array[] = [];
    for (const frame of frames) {
      if (this.error !== undefined || this.ended) break;
      const piece = this.#frame(frame);
      if (piece !== null) out.push(piece);
    }
    return join(out);
  }

  #frame(given: Uint8Array): Uint8Array | null {
    // A byte order mark may start the input, but must not be forwarded: a ping may have been sent before it.
    const bare = given[0] === 0xef && given[1] === 0xbb && given[2] === 0xbf ? given.subarray(3) : given;
    const frame = bare.at(-1) === carriageReturn ? withLineFeeds(bare) : bare;
    const plain = this.#quick?.pass(frame) ?? this.#quick?.learn(frame);
    if (plain) {
      this.#watch.sawOutput();
      return plain;
    }
    const event = parseFrame(frame);
    // Upstream comments only keep its own connection open; we send our own when the client's stream is idle.
    if (event === undefined || event.data === '') return null;
    if (event.data.trim() === '[DONE]') return this.#done();
    let json: unknown;
    try {
      json = this.#parse(event.data);
    } catch {
      json = undefined;
    }
    if (!isObject(json)) {
      this.#watch.observe({ type: 'error', error: failure('the upstream sent an event that is not a JSON object') });
      return null;
    }
    const isFault = event.event === 'error' && json.error == null;
    return this.#deltas(lineEnd.test(event.data) ? inOneLine(event) : frame, isFault ? { error: json } : json);
  }

  readonly #see = (text: string): void => {
    this.#watch.sawOutput();
    if (text !== '') this.options.onOutput?.(text);
  };

  #deltas(frame: Uint8Array, json: Json): Uint8Array | null {
    eachOutput(this.options.upstream, json, this.#see);
    let text = '';
    const { decode, unusedIds } = this.options;
    const deltas = decode(json);
    if (unusedIds) for (const delta of deltas) if (delta.type === 'tool_start') delta.id = unusedIds.of(delta.id);
    this.options.onDeltas?.(deltas, json);
    for (const delta of deltas) {
      this.#watch.observe(delta);
      if (delta.type === 'error') return null;
      if (this.#editor === undefined) text += this.#renderer.push(delta);
    }
    if (this.#editor !== undefined) {
      const edited = this.#editor.edit(frame, json);
      if (!this.#editor.completes) this.#quick ??= this.#quickPath();
      return edited;
    }
    if (text !== '') return encoder.encode(text);
    return this.options.client === 'deltas' && deltas.length > 0 ? noBytes : null;
  }

  #quickPath(): PlainPieces | undefined {
    const { client, expectsJson, onPlainText } = this.options;
    return client === 'chat' && !expectsJson && onPlainText
      ? new PlainPieces(this.options.model, onPlainText, this.options.includeUsage)
      : undefined;
  }

  /** Written anew: servers name it, or end streams of other formats with it, whose clients cannot read it. */
  #done(): Uint8Array | null {
    // An end marker without a finish reason ends a truncated answer; forwarding it would make it look complete.
    if (!this.#watch.finished) return null;
    this.#watch.observe({ type: 'end' });
    if (this.#editor === undefined) return encoder.encode(this.#renderer.push({ type: 'end' }));
    return encoder.encode(this.#editor.beforeEnd() + endMarks[this.options.client]);
  }
}

const carriageReturn = 13;

/**
 * For lines that end in CR, or a last CRLF that the network divided: a CR would stand before the next event, which
 * clients that know only LF would not recognise.
 */
const withLineFeeds = (frame: Uint8Array): Uint8Array =>
  encoder.encode(decoder.decode(frame).replace(/\r\n?/g, '\n').trimStart());

/** Many clients read line by line, and take only the first line of an event. */
function inOneLine({ event, data }: SseEvent): Uint8Array {
  const line = oneLine(data);
  return encoder.encode(event === '' ? sseData(line) : sseEvent(event, line));
}

function join(pieces: Uint8Array[]): Uint8Array | null {
  if (pieces.length === 0) return null;
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}
