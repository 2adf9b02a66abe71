import type { Socket } from 'bun';
import type { ByteSource } from '../../lib/byte-source.ts';
import { addressOf, type Origin } from './address.ts';
import { Exchange, type Line } from './exchange.ts';
import type { AnswerHead } from './head.ts';
import { type LineRequest, requestBytes } from './request-bytes.ts';
import { type UpstreamAnswer, unpacked } from './source.ts';

/** Servers close quiet connections after 5 s to minutes, and a request written just then is lost: none is kept for long. */
const idleMs = 30_000;
const sweepMs = 10_000;
/** No server gives a connection up sooner than this; one that was quiet for longer may be closed without our having looked. */
const surelyOpenMs = 1_000;
/** Per origin: as many as streams end together on a busy gateway; each is closed soon when nobody asks. */
const mostIdle = 1_024;

/** The addresses of a name, the first to be tried first. Rejects where one may not be dialled. */
export type Dial = (hostname: string) => Promise<string[]>;

interface ConnectionOptions {
  nowMs?(): number;
  /** Absent: any address that the system knows by that name. */
  dial?: Dial;
  /** No connection is trusted to be open, however short it was quiet: for requests that nobody may send again. */
  lookFirst?: boolean;
}

/**
 * Connections to upstreams, kept for the next request. `fetch` reads on a thread of its own and hands everything over through a
 * stream, which costs a streamed answer as much again as the rest of the relay; here a read of the socket is the next event.
 */
export class UpstreamConnections {
  readonly #idle = new Map<string, Connection[]>();
  readonly #timer: Timer;

  readonly nowMs: () => number;
  readonly dial: Dial | undefined;
  readonly #trustedMs: number;

  constructor({ nowMs = () => performance.now(), dial, lookFirst = false }: ConnectionOptions = {}) {
    this.nowMs = nowMs;
    this.dial = dial;
    this.#trustedMs = lookFirst ? 0 : surelyOpenMs;
    this.#timer = setInterval(() => this.#sweep(nowMs()), sweepMs);
    this.#timer.unref();
  }

  /** Sends at once; the exchange's `head` tells when the answer has begun. */
  send(request: LineRequest): Exchange {
    const exchange = new Exchange(requestBytes(request));
    const { origin } = addressOf(request.url);
    const kept = this.#idle.get(origin.key);
    const nowMs = this.nowMs();
    let idle = kept?.pop();
    while (idle && nowMs >= idle.keptUntilMs) {
      idle.destroy();
      idle = kept!.pop();
    }
    if (idle) idle.begin(exchange, nowMs - idle.idleSinceMs < this.#trustedMs);
    else this.sendAnew(exchange, origin);
    return exchange;
  }

  sendAnew(exchange: Exchange, origin: Origin): void {
    new Connection(this, origin).open(exchange);
  }

  keep(connection: Connection): void {
    const { key } = connection.origin;
    const kept = this.#idle.get(key) ?? [];
    this.#idle.set(key, kept);
    if (kept.length < mostIdle) kept.push(connection);
    else connection.destroy();
  }

  forget(connection: Connection): void {
    const kept = this.#idle.get(connection.origin.key);
    const at = kept?.indexOf(connection) ?? -1;
    if (at !== -1) kept!.splice(at, 1);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#sweep(Number.POSITIVE_INFINITY);
  }

  #sweep(nowMs: number): void {
    for (const [key, kept] of this.#idle) {
      for (const connection of [...kept]) if (nowMs >= connection.keptUntilMs) connection.destroy();
      if (kept.length === 0) this.#idle.delete(key);
    }
  }
}

/** The answer that has begun with `head`; what was packed is unpacked. */
export const answerOf = (exchange: Exchange, head: AnswerHead): UpstreamAnswer => new BegunAnswer(exchange, head);

class BegunAnswer implements UpstreamAnswer {
  readonly status: number;
  readonly body: ByteSource;

  constructor(
    exchange: Exchange,
    readonly head: AnswerHead,
  ) {
    const { status, encoding } = head;
    this.status = status;
    this.body = encoding === '' ? exchange : unpacked(exchange, encoding);
  }

  get headers(): Headers {
    return this.head.headers;
  }
}

/** One socket, which carries one exchange at a time. */
class Connection implements Line {
  idleSinceMs = 0;
  keptUntilMs = 0;
  #reused = false;
  #socket: Socket<Connection> | null = null;
  #exchange: Exchange | null = null;
  /** What the socket has not taken yet of the request. */
  #unsent: Uint8Array | null = null;
  #destroyed = false;

  constructor(
    readonly owner: UpstreamConnections,
    readonly origin: Origin,
  ) {}

  open(exchange: Exchange): void {
    this.#exchange = exchange;
    exchange.runOn(this);
    const { hostname } = this.origin;
    const { dial } = this.owner;
    const opened = dial ? dial(hostname).then((addresses) => this.#reach(addresses)) : this.#connect(hostname);
    opened.catch((error: Error) => this.closed(error));
  }

  /** The first address that takes the connection: what the name was looked up for is what is dialled. */
  async #reach(addresses: string[]): Promise<void> {
    for (const [at, address] of addresses.entries()) {
      // Nobody waits for it any more.
      if (this.#destroyed) return;
      try {
        await this.#connect(address);
        return;
      } catch (error) {
        if (at === addresses.length - 1) throw error;
      }
    }
  }

  #connect(hostname: string): Promise<unknown> {
    const { hostname: name, port, tls } = this.origin;
    return Bun.connect<Connection>({
      hostname,
      port,
      data: this,
      socket: events,
      // Bun checks chain and name, and tells the outcome with the handshake.
      ...(tls && { tls: { serverName: name, rejectUnauthorized: true } }),
    });
  }

  /** News of a closed connection may wait for its turn behind what made us send: where there may be some it is let in first. */
  begin(exchange: Exchange, surelyOpen: boolean): void {
    this.#reused = true;
    this.#exchange = exchange;
    exchange.runOn(this);
    this.#socket!.ref();
    if (surelyOpen) this.#sendRequest();
    else this.#sendSoon();
  }

  #sendSoon(): void {
    setImmediate(() => setImmediate(() => this.#sendRequest()));
  }

  connected(socket: Socket<Connection>): void {
    this.#socket = socket;
    if (this.#destroyed) socket.terminate();
    else if (!this.origin.tls) this.#sendRequest();
  }

  /** No byte of a request, credential and all, leaves before the other side has proved who it is. */
  shookHands(trusted: boolean, error: Error | null): void {
    if (trusted && !error) this.#sendRequest();
    else this.#exchange?.fail(error ?? new Error('the upstream could not prove who it is'));
  }

  received(bytes: Buffer): void {
    const exchange = this.#exchange;
    if (exchange && !exchange.request) exchange.receive(bytes);
    else {
      // Bytes that nobody asked for: whatever comes after them could be mistaken for an answer.
      this.destroy();
      this.#lost(exchange);
    }
  }

  drained(): void {
    if (this.#unsent) this.#write(this.#unsent);
  }

  closed(error?: Error): void {
    this.#destroyed = true;
    this.owner.forget(this);
    const exchange = this.#exchange;
    this.#exchange = null;
    this.#lost(exchange, error);
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  release(keepMs: number): void {
    this.#exchange = null;
    // An answer that came before its request was read leaves the line in the middle of something.
    if (this.#unsent || this.#destroyed) {
      this.destroy();
      return;
    }
    this.idleSinceMs = this.owner.nowMs();
    this.keptUntilMs = this.idleSinceMs + Math.min(idleMs, keepMs);
    this.#socket!.unref();
    this.owner.keep(this);
  }

  destroy(): void {
    this.#destroyed = true;
    this.#exchange = null;
    this.#unsent = null;
    this.owner.forget(this);
    this.#socket?.terminate();
  }

  /**
   * A request is sent once more only if nothing of it can have been read: the connection had been idle and took no byte of it.
   * Whether to repeat one that the upstream may have read, and may charge for, is not for us to say.
   */
  #lost(exchange: Exchange | null, error?: Error): void {
    if (exchange?.request && this.#reused) this.owner.sendAnew(exchange, this.origin);
    else exchange?.lost(error);
  }

  #sendRequest(): void {
    const request = this.#exchange?.request;
    if (request) this.#write(request);
  }

  #write(request: string | Uint8Array): void {
    const written = Math.max(0, this.#socket!.write(request));
    // Of TLS some records may have left though the socket says that it took nothing.
    if (this.#exchange && (written > 0 || this.origin.tls)) this.#exchange.request = null;
    // Text is made into bytes only when some are left over: the socket's buffer takes nearly every request whole.
    const length = typeof request === 'string' ? Buffer.byteLength(request) : request.length;
    if (written >= length) this.#unsent = null;
    else this.#unsent = (typeof request === 'string' ? Buffer.from(request) : request).subarray(written);
  }
}

/** One set for all sockets: thousands are open at once. */
const events: Bun.SocketHandler<Connection> = {
  open: (socket) => socket.data.connected(socket),
  handshake: (socket, success, error) => socket.data.shookHands(success, error),
  data: (socket, bytes) => socket.data.received(bytes),
  drain: (socket) => socket.data.drained(),
  close: (socket, error) => socket.data.closed(error),
  error: (socket, error) => {
    socket.data.closed(error);
    socket.terminate();
  },
};
