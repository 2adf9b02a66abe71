import type { Server } from 'bun';
import { AppError } from '../../lib/errors.ts';
import { requestId } from '../../lib/ids.ts';
import { type Block, clientIp } from './client-ip.ts';
import { type Growth, growsAs } from './growth.ts';
import type { LastHeaders } from './last-headers.ts';
import type { Call } from './route.ts';
import type { SocketEnd } from './sockets.ts';

/**
 * A connection on which nothing comes for so long is closed: half a head, half a body (one that trickles too: Bun asks for
 * 16 KiB a second), or nothing at all between two requests.
 */
export const patienceSeconds = 30;
/**
 * The same from the head of a stream on, where everything written begins it anew: those that think are pinged, and who has
 * taken nothing for so long is gone. Nothing else would ever close the connection after the stream has ended.
 */
const streamPatienceSeconds = 240;

/** One request as handlers see it. What few of them ask for costs something to know, and is looked up when asked. */
export class HttpCall implements Call {
  readonly requestId = requestId();
  readonly headers: Record<string, string>;
  principal: Call['principal'] = null;
  body: unknown = undefined;
  query: unknown = undefined;
  params: unknown = undefined;
  idempotencyId: number | undefined;
  members: Record<string, string> | undefined;
  whole = false;
  #lifted = false;
  #ip: string | undefined;
  #signal: AbortSignal | undefined;
  #growsAs = '';
  #grownBytes = 0;

  constructor(
    readonly request: Request,
    readonly server: Server<unknown> | undefined,
    readonly trustedProxies: Block[],
    headers: Record<string, string>,
    readonly lastHeaders?: LastHeaders,
    readonly growth?: Growth,
  ) {
    this.headers = { ...headers, 'x-request-id': this.requestId };
  }

  get ip(): string {
    this.#ip ??= this.#address();
    return this.#ip;
  }

  get signal(): AbortSignal {
    this.#signal ??= this.request.signal;
    return this.#signal;
  }

  set signal(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** The answer may take minutes, and a stream be quiet as long: our own limits end those. */
  arrived(): void {
    if (this.#lifted) return;
    this.#lifted = true;
    this.server?.timeout(this.request, 0);
  }

  grow(bytes: number): void {
    this.#growsAs ||= growsAs(this);
    this.growth?.take(this.#growsAs, bytes);
    this.#grownBytes += bytes;
  }

  upgrade(end: SocketEnd): Response {
    if (!this.server?.upgrade(this.request, { data: end, headers: this.headers })) throw upgradeRequired();
    // Sockets have limits of their own.
    this.#lifted = false;
    return new Response(null, { status: 101 });
  }

  /** What follows on the connection has to come soon again. Streams may be quiet for minutes. */
  answered(): void {
    if (this.#grownBytes > 0) this.growth?.giveBack(this.#growsAs, this.#grownBytes);
    if (this.#lifted) this.server?.timeout(this.request, this.whole ? patienceSeconds : streamPatienceSeconds);
  }

  #address(): string {
    const peer = this.server?.requestIP?.(this.request)?.address ?? '127.0.0.1';
    if (this.trustedProxies.length === 0 && !peer.startsWith('::ffff:')) return peer;
    return clientIp(peer, this.request.headers.get('x-forwarded-for'), this.trustedProxies);
  }
}

/** RFC 9110 §15.5.22. */
export const upgradeRequired = (why = 'This address is for WebSockets: ask for an upgrade to `websocket`.'): AppError =>
  new AppError('upgrade_required', why, {
    headers: { upgrade: 'websocket', connection: 'Upgrade' },
  });
