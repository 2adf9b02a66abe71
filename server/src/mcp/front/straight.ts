import type { LogMessage, Params } from '../connection.ts';
import { RpcError } from './served.ts';

/** Whoever waits longer is told that the answer is on its way: clients give up on one that does not even begin. */
const quietMs = 2_000;

/** A call of a tool that asks for nothing but its result. */
export interface StraightCall {
  id: string | number;
  method: 'tools/call';
  params: Params;
}

const revisions = new Set(['2025-03-26', '2025-06-18', '2025-11-25']);
const plainMembers = new Set(['name', 'arguments']);

/**
 * Most calls of clients with a session are like this one. Of all that the library would look at, and build anew for each,
 * nothing matters to them; whatever is not plainly so is left to it.
 */
export function straightCall({ headers }: Request, message: unknown): StraightCall | null {
  const { jsonrpc, id, method, params } = message as Record<string, unknown>;
  if (method !== 'tools/call' || jsonrpc !== '2.0') return null;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return null;
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return null;
  if (!Object.keys(params).every((name) => plainMembers.has(name))) return null;
  if (!revisions.has(headers.get('mcp-protocol-version') ?? '')) return null;
  const accept = headers.get('accept') ?? '';
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return null;
  return { id: id as string | number, method, params: params as Params };
}

/** As JSON, or as events where something is said before the answer, or where it takes a while. */
export async function answerStraight(
  { id }: StraightCall,
  work: (log: (message: LogMessage) => void) => Promise<object>,
): Promise<Response> {
  const before: object[] = [];
  let say = (message: object): void => void before.push(message);
  const begins = Promise.withResolvers<null>();
  const answer = work((params) => {
    say({ jsonrpc: '2.0', method: 'notifications/message', params });
    begins.resolve(null);
  }).then(
    (result) => ({ jsonrpc: '2.0', id, result }),
    (error) => ({ jsonrpc: '2.0', id, error: errorOf(error) }),
  );
  const timer = setTimeout(() => begins.resolve(null), quietMs);
  const first = await Promise.race([answer, begins.promise]).finally(() => clearTimeout(timer));
  if (first) return Response.json(first);
  let left = false;
  const events = new ReadableStream<Uint8Array>({
    start: (controller) => {
      say = (message) => {
        // Whoever left hears nothing more, and that is no fault.
        if (!left) controller.enqueue(new TextEncoder().encode(`event: message\ndata: ${JSON.stringify(message)}\n\n`));
      };
      for (const message of before) say(message);
      void answer.then((message) => {
        say(message);
        if (!left) controller.close();
      });
    },
    cancel: () => {
      left = true;
    },
  });
  return new Response(events, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' } });
}

function errorOf(error: unknown): object {
  const { code, message, data } = error instanceof RpcError ? error : new RpcError(-32_603, 'Internal error');
  return { code, message, ...(data !== undefined && { data }) };
}
