import { createHash } from 'node:crypto';
import type { Socket } from 'bun';
import type { OutgoingProxy } from '../../lib/outgoing-proxy.ts';
import type { SocketListener } from '../../lib/socket-listener.ts';
import { addressOf } from './address.ts';
import { BodyFrame } from './body-frame.ts';
import { type AnswerHead, MalformedAnswer, parseHead } from './head.ts';
import { requestBytes } from './request-bytes.ts';
import { connectThroughProxy } from './tunnel.ts';
import { clientFrame, FrameFault, FrameReader, opcodes } from './web-socket-frames.ts';

interface SocketRequest {
  /** With `http:` or `https:`. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Per received message. */
  mostBytes: number;
  /** Absent: a direct connection. */
  outgoingProxy?: OutgoingProxy | undefined;
}

/** The server answered with something other than the protocol switch. */
export class RefusedUpgrade extends Error {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly body: string,
  ) {
    super(`the upstream returned ${status}`);
  }
}

/** RFC 6455 §1.3. */
const acceptSuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const headEnd = Buffer.from('\r\n\r\n');
const mostHeadBytes = 65_536;
const mostRefusalBytes = 65_536;
/** How long to wait for the server's close frame. */
const closingMs = 2_000;

/**
 * A WebSocket client (RFC 6455). Bun's own does not report why an upgrade was refused, accepts messages of any length
 * and cannot be paused; routing needs the first, memory the others.
 */
export class UpstreamWebSocket {
  readonly #opened = Promise.withResolvers<void>();
  readonly #key = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');
  readonly #frames: FrameReader;
  #socket: Socket<UpstreamWebSocket> | null = null;
  #listener: SocketListener | null = null;
  #unsent: Buffer[] = [];
  #unsentBytes = 0;
  #received: Buffer | null = null;
  #refusal: { head: AnswerHead; frame: BodyFrame; pieces: Buffer[]; bytes: number } | null = null;
  #open = false;
  #paused = false;
  #waiting: (() => void)[] = [];
  #ended: { code: number; reason: string } | null = null;

  private constructor(readonly request: SocketRequest) {
    this.#frames = new FrameReader(
      {
        message: (payload, binary) => this.#tell((listener) => listener.message(payload, binary)),
        control: (opcode, payload) => this.#control(opcode, payload),
      },
      request.mostBytes,
    );
  }

  /** Rejects with RefusedUpgrade, or with the connection error. */
  static async connect(request: SocketRequest, signal: AbortSignal): Promise<UpstreamWebSocket> {
    signal.throwIfAborted();
    const made = new UpstreamWebSocket(request);
    const leave = () => made.#fail(new Error('the call was cancelled'));
    signal.addEventListener('abort', leave, { once: true });
    connectThroughProxy(request, made, events, signal).catch((error) => made.#fail(error));
    try {
      await made.#opened.promise;
      return made;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Messages are delivered from the next `resume` on. */
  listen(listener: SocketListener): void {
    this.#listener = listener;
  }

  /** Bytes that the connection has not accepted yet. */
  get unsentBytes(): number {
    return this.#unsentBytes;
  }

  send(payload: string | Uint8Array): void {
    const text = typeof payload === 'string';
    this.#write(clientFrame(text ? opcodes.text : opcodes.binary, text ? Buffer.from(payload) : payload));
  }

  ping(): void {
    this.#write(clientFrame(opcodes.ping, Buffer.alloc(0)));
  }

  pause(): void {
    this.#paused = true;
    this.#socket?.pause();
  }

  resume(): void {
    this.#paused = false;
    while (!this.#paused) {
      const next = this.#waiting.shift();
      if (!next) break;
      next();
    }
    if (!this.#paused && !this.#ended) this.#socket?.resume();
  }

  close(code: number, reason = ''): void {
    if (this.#ended) return;
    const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
    payload.writeUInt16BE(code, 0);
    payload.write(reason, 2);
    this.#write(clientFrame(opcodes.close, payload));
    this.#end(code, reason);
    this.#socket?.resume();
    this.#leaveSoon();
  }

  #leaveSoon(): void {
    setTimeout(() => this.#socket?.terminate(), closingMs).unref();
  }

  connected(socket: Socket<UpstreamWebSocket>): void {
    this.#socket = socket;
    if (this.#ended) socket.terminate();
    else if (!addressOf(this.request.url).origin.tls) this.#ask();
  }

  /** As with other requests, no credential is sent before the peer is authenticated. */
  shookHands(trusted: boolean, error: Error | null): void {
    if (this.request.outgoingProxy?.trusting || (trusted && !error)) this.#ask();
    else this.#fail(error ?? new Error("the upstream's certificate could not be verified"));
  }

  #ask(): void {
    const headers = {
      ...this.request.headers,
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': this.#key,
    };
    try {
      const bytes = requestBytes({ url: this.request.url, method: 'GET', headers });
      this.#write(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
    } catch (error) {
      this.#fail(error);
    }
  }

  received(bytes: Buffer): void {
    try {
      if (this.#open) this.#readFrames(bytes);
      else if (this.#refusal) this.#readRefusal(bytes, 0);
      else this.#readHead(this.#received ? Buffer.concat([this.#received, bytes]) : bytes);
    } catch (error) {
      if (error instanceof FrameFault) this.close(error.code, error.message);
      else this.#fail(error);
    }
  }

  #readFrames(bytes: Buffer): void {
    if (this.#ended) return;
    this.#listener?.heard();
    this.#frames.push(bytes);
  }

  #readHead(bytes: Buffer): void {
    const end = bytes.indexOf(headEnd);
    if (end === -1) {
      if (bytes.length > mostHeadBytes) throw new MalformedAnswer('the response headers are too large');
      this.#received = bytes;
      return;
    }
    this.#received = null;
    const head = parseHead(bytes.toString('latin1', 0, end));
    const rest = end + headEnd.length;
    if (head.status === 101) {
      this.#checkAccepted(head);
      this.#open = true;
      // Paused until there is a listener.
      this.#paused = true;
      this.#opened.resolve();
      if (rest < bytes.length) this.#readFrames(bytes.subarray(rest));
    } else if (head.status < 200) this.#readHead(bytes.subarray(rest));
    else {
      this.#refusal = { head, frame: new BodyFrame(head.framing), pieces: [], bytes: 0 };
      this.#readRefusal(bytes, rest);
    }
  }

  /** RFC 6455 §4.1: a wrong accept key means that the server did not agree to the upgrade. */
  #checkAccepted(head: AnswerHead): void {
    const wanted = createHash('sha1')
      .update(this.#key + acceptSuffix)
      .digest('base64');
    if (head.header('sec-websocket-accept') !== wanted || head.header('upgrade')?.toLowerCase() !== 'websocket')
      throw new MalformedAnswer('the upstream did not agree to a WebSocket');
    if (head.header('sec-websocket-extensions')) throw new MalformedAnswer('the upstream chose what was not offered');
  }

  #readRefusal(bytes: Buffer, from: number): void {
    const refusal = this.#refusal!;
    const take = (piece: Uint8Array, start: number, end: number): void => {
      refusal.bytes += end - start;
      if (refusal.bytes <= mostRefusalBytes) refusal.pieces.push(Buffer.from(piece.subarray(start, end)));
    };
    if (!refusal.frame.over) refusal.frame.read(bytes, from, { take });
    if (refusal.frame.over || refusal.bytes > mostRefusalBytes) this.#refuse();
  }

  #refuse(): void {
    const { head, pieces } = this.#refusal!;
    this.#fail(new RefusedUpgrade(head.status, head.headers, Buffer.concat(pieces).toString()));
  }

  #control(opcode: number, payload: Buffer): void {
    // RFC 6455 §5.5.3: not every ping needs an answer. A peer that only pings and never reads would fill memory.
    if (opcode === opcodes.ping && this.#unsent.length === 0) this.#write(clientFrame(opcodes.pong, payload));
    else if (opcode === opcodes.close) {
      // RFC 6455 §5.5.1.
      if (payload.length === 1) throw new FrameFault(1002, 'a control frame is malformed');
      const code = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
      this.#write(clientFrame(opcodes.close, payload.subarray(0, 2)));
      this.#end(code, payload.toString('utf8', 2));
      this.#socket?.end();
      this.#leaveSoon();
    }
  }

  drained(): void {
    const waiting = this.#unsent;
    this.#unsent = [];
    this.#unsentBytes = 0;
    for (const bytes of waiting) this.#write(bytes);
  }

  lost(error?: Error): void {
    if (this.#refusal?.frame.endsByClose && !error) this.#refuse();
    else this.#fail(error ?? new Error('the upstream closed the connection'));
  }

  #write(bytes: Buffer): void {
    if (this.#ended || !this.#socket) return;
    const written = this.#unsent.length > 0 ? 0 : Math.max(0, this.#socket.write(bytes));
    if (written >= bytes.length) return;
    this.#unsent.push(bytes.subarray(written));
    this.#unsentBytes += bytes.length - written;
  }

  #tell(what: (listener: SocketListener) => void): void {
    const act = () => what(this.#listener!);
    if (this.#paused || this.#waiting.length > 0) this.#waiting.push(act);
    else act();
  }

  #fail(error: unknown): void {
    this.#opened.reject(error);
    this.#socket?.terminate();
    this.#end(1006, error instanceof Error ? error.message : String(error));
  }

  #end(code: number, reason: string): void {
    if (this.#ended) return;
    this.#ended = { code, reason };
    this.#unsent = [];
    this.#unsentBytes = 0;
    if (this.#open) this.#tell((listener) => listener.closed(code, reason));
  }
}

const events: Bun.SocketHandler<UpstreamWebSocket> = {
  open: (socket) => socket.data.connected(socket),
  handshake: (socket, success, error) => socket.data.shookHands(success, error),
  data: (socket, bytes) => socket.data.received(bytes),
  drain: (socket) => socket.data.drained(),
  close: (socket, error) => socket.data.lost(error),
  error: (socket, error) => {
    socket.data.lost(error);
    socket.terminate();
  },
};
