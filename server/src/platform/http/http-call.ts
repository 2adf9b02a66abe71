import type { Server } from 'bun';
import { requestId } from '../../lib/ids.ts';
import { type Block, clientIp } from './client-ip.ts';
import type { LastHeaders } from './last-headers.ts';
import type { Call } from './route.ts';

/** One request as handlers see it. What few of them ask for costs something to know, and is looked up when asked. */
export class HttpCall implements Call {
  readonly requestId = requestId();
  readonly headers: Record<string, string>;
  principal: Call['principal'] = null;
  body: unknown = undefined;
  query: unknown = undefined;
  params: unknown = undefined;
  #ip: string | undefined;
  #signal: AbortSignal | undefined;

  constructor(
    readonly request: Request,
    readonly server: Server<unknown> | undefined,
    readonly trustedProxies: Block[],
    headers: Record<string, string>,
    readonly lastHeaders?: LastHeaders,
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

  #address(): string {
    const peer = this.server?.requestIP?.(this.request)?.address ?? '127.0.0.1';
    if (this.trustedProxies.length === 0 && !peer.startsWith('::ffff:')) return peer;
    return clientIp(peer, this.request.headers.get('x-forwarded-for'), this.trustedProxies);
  }
}
