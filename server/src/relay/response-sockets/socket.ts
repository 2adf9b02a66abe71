import { type Clock, nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { logError } from '../../platform/http/log-error.ts';
import type { MemoryBudget } from '../../platform/http/memory-budget.ts';
import { readMessage } from '../../platform/http/read-message.ts';
import type { ClientSocket, SocketEnd } from '../../platform/http/sockets.ts';
import { toAppError } from '../../platform/http/to-app-error.ts';
import type { Log } from '../../platform/log.ts';
import { isObject, type Json } from '../wire/conversation.ts';
import { Memory } from './memory.ts';
import { errorEvent, steerFailed, takeTurn, wantedBy } from './turn.ts';

/** OpenAI's limits: lifetime of a connection, streams, and responses in progress or queued. */
const longestMs = 3_600_000;
const mostStreams = 32;
const mostTurns = 16;
const streamName = /^.{1,64}$/s;
/** A client that reads nothing for this long is considered gone. */
const slowMs = 30_000;

export interface SocketOf {
  clock: Clock;
  log: Log;
  memoryBudget: MemoryBudget;
  /** Whose memory budget this uses. */
  caller: string;
  requestId: string;
  /** Sends a request of this client with this body. */
  ask(body: string, signal: AbortSignal): Promise<Response>;
  ended(socket: ResponseSocket): void;
}

/** A client that asks for responses over one connection, one after the other, or several at once in named streams. */
export class ResponseSocket implements SocketEnd {
  readonly #memory: Memory;
  readonly #left = new AbortController();
  readonly #streams = new Map<string, Promise<void>>();
  readonly #openedMs: number;
  #arrived: Promise<void> = Promise.resolve();
  #turns = 0;
  #socket: ClientSocket | null = null;
  #taken: PromiseWithResolvers<void> | null = null;
  /** Characters sent without waiting for the reader. */
  #unread = 0;
  #slow: Timer | undefined;
  #oldAge: Timer | undefined;
  #draining = false;

  constructor(readonly about: SocketOf) {
    this.#memory = new Memory(about.memoryBudget, about.caller);
    this.#openedMs = about.clock.steadyMs();
  }

  get #isOld(): boolean {
    return this.about.clock.steadyMs() - this.#openedMs >= longestMs;
  }

  opened(socket: ClientSocket): void {
    this.#socket = socket;
    this.#oldAge = setTimeout(() => this.#endIfIdle(), longestMs);
    this.#oldAge.unref();
    this.#endIfIdle();
  }

  received(data: string | Buffer): void {
    if (this.#left.signal.aborted) return;
    if (typeof data !== 'string') this.#tell(new AppError('invalid_value', 'Events must be JSON in text frames.'));
    else if (this.#turns >= mostTurns)
      this.#tell(
        new AppError('capacity_exhausted', `A connection may have at most ${mostTurns} responses in progress.`),
      );
    else if (this.#takes(data.length)) {
      this.#turns += 1;
      // The stream is known once the message is parsed, and messages are parsed in order.
      this.#arrived = this.#arrived.then(() => this.#read(data));
    }
  }

  drained(): void {
    clearTimeout(this.#slow);
    this.about.memoryBudget.giveBack(this.about.caller, this.#unread);
    this.#unread = 0;
    this.#taken?.resolve();
    this.#taken = null;
  }

  closed(): void {
    if (this.#left.signal.aborted) return;
    this.#left.abort(new Error('the client disconnected'));
    clearTimeout(this.#oldAge);
    this.drained();
    this.#memory.clear();
    this.about.ended(this);
  }

  /** Starts nothing new; responses in progress may finish. */
  drain(): void {
    this.#draining = true;
    this.#endIfIdle();
  }

  close(code: number, reason: string): void {
    this.#socket?.close(code, reason);
    this.closed();
  }

  #takes(bytes: number): boolean {
    try {
      this.about.memoryBudget.take(this.about.caller, bytes);
      return true;
    } catch (error) {
      this.#tell(toAppError(error));
      return false;
    }
  }

  async #read(text: string): Promise<void> {
    const done = () => {
      this.about.memoryBudget.giveBack(this.about.caller, text.length);
      this.#turns -= 1;
      this.#endIfIdle();
    };
    const event = await readMessage(text).catch(toAppError);
    const stream = isObject(event) ? (event.stream_id ?? '') : '';
    if (isObject(event) && event.type === 'response.steer') {
      this.#say(steerFailed(event));
      return done();
    }
    const fault = this.#faultOf(event, stream);
    if (fault || !isObject(event) || typeof stream !== 'string') {
      if (fault) this.#tell(fault, typeof stream === 'string' ? stream : '');
      return done();
    }
    const before = this.#streams.get(stream) ?? Promise.resolve();
    this.#streams.set(stream, before.then(() => this.#answer(event, stream)).finally(done));
  }

  /** What is wrong with an event; null if it can be answered. */
  #faultOf(event: unknown, stream: unknown): AppError | null {
    if (event instanceof AppError) return event;
    if (!isObject(event)) return new AppError('invalid_json', 'An event must be a JSON object.');
    if (event.type !== 'response.create')
      return new AppError('invalid_value', "'type' must be 'response.create'.", { param: 'type' });
    if (stream !== '' && !(typeof stream === 'string' && streamName.test(stream)))
      return new AppError('invalid_value', "'stream_id' must be a string of 1 to 64 characters.", {
        ...{ param: 'stream_id', vendorCode: 'invalid_stream_id' },
      });
    if (!this.#streams.has(stream) && this.#streams.size >= mostStreams)
      return new AppError('invalid_value', `A connection may have at most ${mostStreams} streams.`, {
        ...{ param: 'stream_id', vendorCode: 'websocket_stream_limit_reached' },
      });
    return this.#isOld ? tooOld() : null;
  }

  async #answer(event: Json, stream: string): Promise<void> {
    const { clock, ask, log, requestId } = this.about;
    const { signal } = this.#left;
    if (signal.aborted) return;
    const deps = {
      ...{ memory: this.#memory, nowSeconds: () => nowSeconds(clock), ask: (body: string) => ask(body, signal) },
      send: (text: string) => this.#send(text),
    };
    try {
      await takeTurn(deps, wantedBy(event));
    } catch (error) {
      if (signal.aborted) return;
      const fault = toAppError(error);
      logError(log, { requestId }, fault);
      this.#tell(fault, stream);
    }
  }

  #tell(error: AppError, stream = ''): void {
    this.#say(errorEvent(error, stream));
  }

  /** Nothing waits until this is read: what the client leaves unread counts in its memory budget. */
  #say(text: string): void {
    if (this.#socket?.send(text) !== -1) return;
    try {
      this.about.memoryBudget.take(this.about.caller, text.length);
    } catch {
      this.close(1013, 'The client reads too slowly.');
      return;
    }
    this.#unread += text.length;
    this.#untilRead();
  }

  /** Resolves when more may be sent. */
  async #send(text: string): Promise<void> {
    this.#left.signal.throwIfAborted();
    // -1: it is buffered, so the answer must wait.
    if (this.#socket?.send(text) !== -1) return;
    await this.#untilRead();
    this.#left.signal.throwIfAborted();
  }

  #untilRead(): Promise<void> {
    if (!this.#taken) {
      this.#taken = Promise.withResolvers();
      this.#slow = setTimeout(() => this.close(1013, 'The client reads too slowly.'), slowMs);
    }
    return this.#taken.promise;
  }

  #endIfIdle(): void {
    if (this.#turns > 0 || this.#left.signal.aborted) return;
    if (this.#draining) this.close(1001, 'The service is stopping. Reconnect.');
    else if (this.#isOld) {
      this.#tell(tooOld());
      this.close(1000, 'The connection is one hour old.');
    }
  }
}

const tooOld = () =>
  new AppError('invalid_value', 'A connection may last at most one hour. Open another one.', {
    vendorCode: 'websocket_connection_limit_reached',
  });
