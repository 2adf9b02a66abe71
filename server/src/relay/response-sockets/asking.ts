import type { Server } from 'bun';

/** How the service is asked from outside. */
export type Ask = (request: Request, server?: Server<unknown>) => Response | Promise<Response>;

/** Of the connection, of the body that it does not have, and for one request alone. */
const notOfTurns =
  /^(connection|upgrade|sec-websocket-.+|content-.+|transfer-encoding|x-forwarded-for|forwarded|idempotency-key)$/;

/** Each response is asked for by a request of its own, at the same address, from where the connection comes from. */
export function askingAs(ask: Ask, baseUrl: string, { request, ip }: { request: Request; ip: string }) {
  const headers = new Headers([...request.headers].filter(([name]) => !notOfTurns.test(name)));
  headers.set('content-type', 'application/json');
  const address = new URL(new URL(request.url).pathname, baseUrl);
  // What a call asks of the server it came in by.
  const from = { requestIP: () => ({ address: ip }), timeout: () => {} } as unknown as Server<unknown>;
  return async (body: string, signal: AbortSignal): Promise<Response> =>
    ask(new Request(address, { method: 'POST', headers, body, signal }), from);
}
