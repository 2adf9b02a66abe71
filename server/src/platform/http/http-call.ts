import type { Server } from 'bun';
import { AppError } from '../../lib/errors.ts';
import { requestId } from '../../lib/ids.ts';
import { type Block, clientIp } from './client-ip.ts';
import type { LastHeaders } from './last-headers.ts';
import { type MemoryBudget, memoryBudgetKey } from './memory-budget.ts';
import type { Authenticator, Call } from './route.ts';
import type { SocketEnd } from './sockets.ts';

/**
 * Idle timeout of a connection: for an incomplete head or body (Bun also requires 16 KiB a second), and between two
 * requests.
 */
export const patienceSeconds = 30;
/**
 * Idle timeout once a stream has started, restarted by every write: quiet streams are pinged, so a client that takes
 * nothing for this long is gone. Nothing else would close the connection after the stream has ended.
 */
const streamPatienceSeconds = 240;

/** One request as handlers see it. Rarely used properties are computed lazily. */
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
  /** Authenticates again. */
  again: Authenticator | undefined;
  #lifted = false;
  #ip: string | undefined;
  #signal: AbortSignal | undefined;
  #memoryBudgetKey = '';
  #grownBytes = 0;

  constructor(
    readonly request: Request,
    readonly server: Server<unknown> | undefined,
    readonly trustedProxies: Block[],
    headers: Record<string, string>,
    readonly lastHeaders?: LastHeaders,
    readonly memoryBudget?: MemoryBudget,
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

  /**
   * Lifts the idle timeout: the answer may take minutes, and a stream be quiet as long; other limits apply to those.
   */
  arrived(): void {
    if (this.#lifted) return;
    this.#lifted = true;
    this.server?.timeout(this.request, 0);
  }

  stillIn(): Promise<void> | undefined {
    if (!this.again || this.principal === null) return undefined;
    const found = this.again(this);
    if (found instanceof Promise) return found.then((principal) => this.#is(principal));
    this.#is(found);
    return undefined;
  }

  #is(principal: Call['principal']): void {
    this.principal = principal;
  }

  grow(bytes: number): void {
    this.#memoryBudgetKey ||= memoryBudgetKey(this);
    this.memoryBudget?.take(this.#memoryBudgetKey, bytes);
    this.#grownBytes += bytes;
  }

  upgrade(end: SocketEnd): Response {
    if (!this.server?.upgrade(this.request, { data: end, headers: this.headers })) throw upgradeRequired();
    // WebSockets have their own timeouts.
    this.#lifted = false;
    return new Response(null, { status: 101 });
  }

  /** Restores the idle timeout for the next request on this connection, except for streams. */
  answered(): void {
    if (this.#grownBytes > 0) this.memoryBudget?.giveBack(this.#memoryBudgetKey, this.#grownBytes);
    if (this.#lifted) this.server?.timeout(this.request, this.whole ? patienceSeconds : streamPatienceSeconds);
  }

  #address(): string {
    const peer = this.server?.requestIP?.(this.request)?.address ?? '127.0.0.1';
    if (this.trustedProxies.length === 0 && !peer.startsWith('::ffff:')) return peer;
    return clientIp(peer, this.request.headers.get('x-forwarded-for'), this.trustedProxies);
  }
}

/** RFC 9110 §15.5.22. */
export const upgradeRequired = (
  why = 'This endpoint accepts only WebSocket connections: request an upgrade to `websocket`.',
): AppError =>
  new AppError('upgrade_required', why, {
    headers: { upgrade: 'websocket', connection: 'Upgrade' },
  });
