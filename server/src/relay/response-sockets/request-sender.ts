import type { Server } from 'bun';

/** The service's entry point. */
export type Ask = (request: Request, server?: Server<unknown>) => Response | Promise<Response>;

/** Headers of the connection, of its missing body, and those meant for a single request. */
const notOfTurns =
  /^(connection|upgrade|sec-websocket-.+|content-.+|transfer-encoding|x-forwarded-for|forwarded|idempotency-key)$/;

/** Each response is a separate request to the same address, with the connection's IP address. */
export function requestSender(ask: Ask, baseUrl: string, { request, ip }: { request: Request; ip: string }) {
  const headers = new Headers([...request.headers].filter(([name]) => !notOfTurns.test(name)));
  headers.set('content-type', 'application/json');
  const address = new URL(new URL(request.url).pathname, baseUrl);
  // The part of the server that a call uses.
  const from = { requestIP: () => ({ address: ip }), timeout: () => {} } as unknown as Server<unknown>;
  return async (body: string, signal: AbortSignal): Promise<Response> =>
    ask(new Request(address, { method: 'POST', headers, body, signal }), from);
}
