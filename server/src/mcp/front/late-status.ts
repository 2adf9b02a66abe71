import type { Lingering, LingerTimer } from '../../lib/linger-timer.ts';
import type { RpcError } from './endpoint.ts';

/** Set while a request is answered: the library responds to errors thrown by handlers with the status of a success. */
export interface LateStatus {
  status?: number;
  /** The error behind a status that is more than JSON-RPC's. */
  unavailable?: RpcError;
}

/**
 * The library begins the event stream of a request before its handler has run. Until there are bytes to send, or for as
 * long as clients wait for a head, the status can still change.
 */
export async function withStatus(
  response: Response,
  id: unknown,
  late: LateStatus,
  quiet: LingerTimer,
): Promise<Response> {
  const { body, headers } = response;
  if (headers.get('content-type')?.startsWith('application/json'))
    return late.status === undefined ? response : new Response(body, { status: late.status, headers });
  if (!body || id === undefined) return response;
  const reader = body.getReader();
  let first: ReturnType<typeof reader.read> | null = reader.read();
  const head = new Head();
  quiet.add(head);
  await Promise.race([first, head.overdue]).finally(() => quiet.remove(head));
  if (late.unavailable) {
    void reader.cancel().catch(() => {});
    const { code, message } = late.unavailable;
    return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status: late.status ?? 503 });
  }
  const rest = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { value, done } = await (first ?? reader.read());
      first = null;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(rest, response);
}

class Head implements Lingering {
  place = -1;
  seen = false;
  readonly #overdue = Promise.withResolvers<void>();

  get overdue(): Promise<void> {
    return this.#overdue.promise;
  }

  lingers(): void {
    this.#overdue.resolve();
  }
}
