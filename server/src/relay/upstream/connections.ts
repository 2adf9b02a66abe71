import type { Socket } from 'bun';
import type { UpstreamRequest } from '../providers/kind.ts';
import { addressOf, type Origin } from './address.ts';
import { Exchange, type Line } from './exchange.ts';
import type { AnswerHead } from './head.ts';
import { requestBytes } from './request-bytes.ts';
import { type UpstreamAnswer, unpacked } from './source.ts';

/** Servers close quiet connections after 5 s to minutes; one that was closed meanwhile only costs a second try. */
const idleMs = 30_000;
const sweepMs = 10_000;
/** Per origin: as many as streams end together on a busy gateway; each is closed soon when nobody asks. */
const mostIdle = 1_024;

/**
 * Connections to upstreams for chat answers. `fetch` reads on a thread of its own and hands everything over through a
 * stream, which costs a streamed answer as much again as the rest of the relay; here a read of the socket is the next event.
 */
export class UpstreamConnections {
  readonly #idle = new Map<string, Connection[]>();
  readonly #timer: Timer;

  constructor() {
    this.#timer = setInterval(() => this.#sweep(Date.now()), sweepMs);
    this.#timer.unref();
  }

  /** Sends at once; the exchange's `head` tells when the answer has begun. */
  send(request: UpstreamRequest & { body?: string }): Exchange {
    const exchange = new Exchange(requestBytes(request));
    this.carry(exchange, addressOf(request.url).origin);
    return exchange;
  }

  carry(exchange: Exchange, origin: Origin): void {
    const idle = this.#idle.get(origin.key)?.pop();
    if (idle) idle.begin(exchange);
    else new Connection(this, origin).open(exchange);
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
      for (const connection of [...kept]) if (nowMs - connection.idleSinceMs >= idleMs) connection.destroy();
      if (kept.length === 0) this.#idle.delete(key);
    }
  }
}

/** The answer that has begun with `head`; what was packed is unpacked. */
export function answerOf(exchange: Exchange, head: AnswerHead): UpstreamAnswer {
  const { status, encoding } = head;
  const body = encoding === '' || encoding === 'identity' ? exchange : unpacked(exchange, encoding);
  return { status, body, headers: () => head.headers };
}

/** One socket, which carries one exchange at a time. */
class Connection implements Line {
  reused = false;
  idleSinceMs = 0;
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
    const { hostname, port, tls } = this.origin;
    Bun.connect<Connection>({
      hostname,
      port,
      data: this,
      socket: events,
      // Bun checks chain and name, and tells the outcome with the handshake.
      ...(tls && { tls: { serverName: hostname, rejectUnauthorized: true } }),
    }).catch((error: Error) => this.closed(error));
  }

  begin(exchange: Exchange): void {
    this.reused = true;
    this.#exchange = exchange;
    exchange.runOn(this);
    this.#socket!.ref();
    this.#sendRequest();
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
    // Bytes that nobody asked for: whatever comes after them could be mistaken for an answer.
    if (this.#exchange) this.#exchange.receive(bytes);
    else this.destroy();
  }

  drained(): void {
    if (this.#unsent) this.#write(this.#unsent);
  }

  closed(error?: Error): void {
    this.#destroyed = true;
    this.owner.forget(this);
    const exchange = this.#exchange;
    this.#exchange = null;
    if (exchange?.lost(error)) this.owner.carry(exchange, this.origin);
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  release(): void {
    this.#exchange = null;
    // An answer that came before its request was read leaves the line in the middle of something.
    if (this.#unsent || this.#destroyed) {
      this.destroy();
      return;
    }
    this.idleSinceMs = Date.now();
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

  #sendRequest(): void {
    const request = this.#exchange?.request;
    if (request) this.#write(request);
  }

  #write(request: string | Uint8Array): void {
    const written = Math.max(0, this.#socket!.write(request));
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
