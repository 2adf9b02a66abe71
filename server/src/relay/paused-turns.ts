import { type ByteSource, readText, type Taker } from '../lib/byte-source.ts';
import { type SseEvent, SseParser } from '../lib/sse.ts';
import type { UpstreamAnswer } from '../platform/upstream/source.ts';
import type { ProviderKind, UpstreamRequest } from './providers/kind.ts';
import { type Beginning, beginningOf, textFrom, wholeEvents } from './whole-in-stream.ts';
import { type Conversation, isObject, type Json } from './wire/conversation.ts';
import { parseWithArguments } from './wire/exact-arguments.ts';
import { PausedMessage } from './wire/messages/paused.ts';

/** Only vendor-run tools pause a turn, and Anthropic's own clients can continue it themselves. */
export const mayPause = ({ wire, received }: ProviderKind, { params, source }: Conversation): boolean =>
  wire === 'messages' && received === undefined && source?.format !== 'messages' && params.webSearch !== undefined;

/** Each continuation pays for the whole prompt again; the hold covers no more than this. */
const mostTimes = 3;

/** Sends another request to the same upstream. */
type AskAgain = (request: UpstreamRequest) => Promise<UpstreamAnswer>;

/**
 * An answer that is continued each time it pauses, and reads as if it came in one piece. If it cannot be continued, it
 * ends where it paused, with a stop reason that says so.
 */
export class ContinuedSource implements ByteSource {
  readonly #message = new PausedMessage();
  readonly #pieces: AsyncGenerator<string>;
  #times = 0;

  constructor(
    private body: ByteSource,
    private readonly request: UpstreamRequest,
    stream: boolean,
    private readonly again: AskAgain,
  ) {
    this.#pieces = stream ? this.#events() : this.#whole();
  }

  async read(): Promise<Uint8Array | null> {
    const { done, value } = await this.#pieces.next();
    return done ? null : Buffer.from(value);
  }

  async flow(taker: Taker): Promise<boolean> {
    for (let piece = await this.read(); piece; piece = await this.read())
      if (!taker(piece, 0, piece.length)) return true;
    return false;
  }

  leave(): void {
    this.body.leave();
  }

  abort(): void {
    this.body.abort();
  }

  async *#events(): AsyncGenerator<string> {
    do {
      const parser = new SseParser();
      let begins: Beginning = 'blank';
      while (!this.#message.isPaused) {
        const bytes = await this.body.read();
        if (bytes && begins === 'blank') begins = beginningOf(bytes);
        if (bytes && begins === 'whole') {
          yield this.#inPieces(await textFrom(bytes, this.body));
          break;
        }
        yield (bytes ? parser.push(bytes) : parser.end()).map(this.#rewritten).join('');
        if (!bytes) break;
      }
    } while (await this.#goesOn());
    yield this.#message.stop();
  }

  readonly #rewritten = ({ event, data }: SseEvent): string => {
    const json = parsed(data);
    return json ? this.#message.event(json) : `event: ${event}\ndata: ${data}\n\n`;
  };

  /** A message that came whole. Anything else is passed on for the reader to report. */
  #inPieces(text: string): string {
    const answer = parsed(text);
    if (!answer || !Array.isArray(answer.content)) return text;
    return new SseParser()
      .push(Buffer.from(wholeEvents.messages(answer)))
      .map(this.#rewritten)
      .join('');
  }

  async *#whole(): AsyncGenerator<string> {
    let text = '';
    do {
      const came = await readText(this.body);
      const answer = parsed(came);
      if (answer && Array.isArray(answer.content)) text = JSON.stringify(this.#message.whole(answer));
      // Not a message: passed on for the reader to report.
      else text ||= came;
    } while (await this.#goesOn());
    yield text;
  }

  async #goesOn(): Promise<boolean> {
    if (!this.#message.isPaused || this.#times === mostTimes) return false;
    this.#times += 1;
    // Anthropic bodies are always text.
    const asked = this.#message.goesOnWith(parseWithArguments(this.request.body as string) as Json);
    if (!asked) return false;
    this.body.leave();
    const answer = await this.again({ ...this.request, body: JSON.stringify(asked) }).catch(() => undefined);
    if (answer?.status !== 200) {
      answer?.body.abort();
      return false;
    }
    this.body = answer.body;
    this.#message.goOn();
    return true;
  }
}

function parsed(text: string): Json | undefined {
  try {
    const json = parseWithArguments(text);
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}
