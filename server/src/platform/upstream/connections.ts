import type { Socket } from 'bun';
import type { ByteSource } from '../../lib/byte-source.ts';
import { addressOf, type Origin } from './address.ts';
import { Exchange, type Line } from './exchange.ts';
import type { AnswerHead } from './head.ts';
import { type LineRequest, requestBytes } from './request-bytes.ts';
import { type UpstreamAnswer, unpacked } from './source.ts';

/**
 * Servers close idle connections after 5 s to minutes, and a request written at that moment is lost; so they are not
 * kept for long.
 */
const idleMs = 30_000;
const sweepMs = 10_000;
/** Per origin: as many as streams end at once on a busy gateway; unused ones are closed soon. */
const mostIdle = 1_024;

/** Resolves a name to addresses, in order of preference. Rejects if one of them must not be dialled. */
export type Dial = (hostname: string) => Promise<string[]>;

interface ConnectionOptions {
  nowMs?(): number;
  /** Absent: any address the system resolver returns. */
  dial?: Dial;
}

/**
 * Kept connections to upstreams. `fetch` reads on another thread and passes everything through a stream, which costs a
 * streamed answer as much again as the rest of the relay; here a socket read is directly the next event.
 */
export class UpstreamConnections {
  readonly #idle = new Map<string, Connection[]>();
  readonly #timer: Timer;

  readonly nowMs: () => number;
  readonly dial: Dial | undefined;
  /** Kept connections that got a request in this turn of the event loop. */
  #sending: Connection[] | null = null;

  constructor({ nowMs = () => performance.now(), dial }: ConnectionOptions = {}) {
    this.nowMs = nowMs;
    this.dial = dial;
    this.#timer = setInterval(() => this.#sweep(nowMs()), sweepMs);
    this.#timer.unref();
  }

  /** The exchange's `head` resolves when the answer starts. */
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
    if (idle) idle.begin(exchange);
    else this.sendAnew(exchange, origin);
    return exchange;
  }

  sendAnew(exchange: Exchange, origin: Origin): void {
    new Connection(this, origin).open(exchange);
  }

  /**
   * Sends in two turns of the event loop, because a close event may still be queued behind the event that made us send.
   * Requests of one turn are sent together, so that the upstream and the network stack wake up once for all of them:
   * waking them for each costs as much as sending.
   */
  sendSoon(connection: Connection): void {
    if (this.#sending) this.#sending.push(connection);
    else this.#sendTogether([connection]);
  }

  #sendTogether(connections: Connection[]): void {
    this.#sending = connections;
    setImmediate(() => {
      this.#sending = null;
      setImmediate(() => {
        for (const connection of connections) connection.sendRequest();
      });
    });
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

/** The answer that starts with `head`, decompressed. */
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

/** One socket, carrying one exchange at a time. */
class Connection implements Line {
  keptUntilMs = 0;
  #reused = false;
  #socket: Socket<Connection> | null = null;
  #exchange: Exchange | null = null;
  /** The part of the request that the socket has not accepted yet. */
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

  /** Connects to the first address that accepts: exactly the ones that were resolved and checked. */
  async #reach(addresses: string[]): Promise<void> {
    for (const [at, address] of addresses.entries()) {
      // Cancelled meanwhile.
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
      // Bun verifies certificate chain and name, and reports the result with the handshake.
      ...(tls && { tls: { serverName: name, rejectUnauthorized: true } }),
    });
  }

  /** Carries one more exchange. */
  begin(exchange: Exchange): void {
    this.#reused = true;
    this.#exchange = exchange;
    exchange.runOn(this);
    this.#socket!.ref();
    this.owner.sendSoon(this);
  }

  connected(socket: Socket<Connection>): void {
    this.#socket = socket;
    if (this.#destroyed) socket.terminate();
    else if (!this.origin.tls) this.sendRequest();
  }

  /** No byte of a request, which holds the credential, is sent before the peer is authenticated. */
  shookHands(trusted: boolean, error: Error | null): void {
    if (trusted && !error) this.sendRequest();
    else this.#exchange?.fail(error ?? new Error("the upstream's certificate could not be verified"));
  }

  received(bytes: Buffer): void {
    const exchange = this.#exchange;
    if (exchange && !exchange.request) exchange.receive(bytes);
    else {
      // Unsolicited bytes: what follows could be mistaken for an answer.
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
    // If the answer came before the whole request was sent, the connection is in an undefined state.
    if (this.#unsent || this.#destroyed) {
      this.destroy();
      return;
    }
    this.keptUntilMs = this.owner.nowMs() + Math.min(idleMs, keepMs);
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
   * A request is retried only if the upstream cannot have read any of it: the connection had been idle and accepted no
   * byte. Whether to repeat a request that the upstream may have read, and may charge for, is for the caller to decide.
   */
  #lost(exchange: Exchange | null, error?: Error): void {
    if (exchange?.request && this.#reused) this.owner.sendAnew(exchange, this.origin);
    else exchange?.lost(error);
  }

  sendRequest(): void {
    const request = this.#exchange?.request;
    if (request) this.#write(request);
  }

  #write(request: string | Uint8Array): void {
    const written = Math.max(0, this.#socket!.write(request));
    // With TLS, records may have been sent although the socket reports no bytes written.
    if (this.#exchange && (written > 0 || this.origin.tls)) this.#exchange.request = null;
    // Converted to bytes only if some are left over: the socket's buffer takes nearly every request whole.
    const length = typeof request === 'string' ? Buffer.byteLength(request) : request.length;
    if (written >= length) this.#unsent = null;
    else this.#unsent = (typeof request === 'string' ? Buffer.from(request) : request).subarray(written);
  }
}

/** One handler object for all sockets, since thousands are open at once. */
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
