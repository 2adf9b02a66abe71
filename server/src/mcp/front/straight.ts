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
export function straightCall({ headers }: Pick<Request, 'headers'>, message: unknown): StraightCall | null {
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

/** How an answer is put into words of HTTP. */
export interface Written {
  whole(text: string): Response;
  events(stream: ReadableStream<Uint8Array>): Response;
}

/** As JSON, or as events where something is said before the answer, or where it takes a while. */
export function answerStraight(
  { id }: StraightCall,
  written: Written,
  work: (log: (message: LogMessage) => void) => Promise<object>,
): Promise<Response> {
  return new Promise((resolve) => {
    let events: Events | null = null;
    const begin = (): Events => {
      events ??= new Events();
      resolve(written.events(events.stream));
      return events;
    };
    const timer = setTimeout(begin, quietMs);
    const end = (message: object): void => {
      clearTimeout(timer);
      if (events) events.end(message);
      else resolve(written.whole(JSON.stringify(message)));
    };
    work((params) => (events ?? begin()).say({ jsonrpc: '2.0', method: 'notifications/message', params })).then(
      (result) => end({ jsonrpc: '2.0', id, result }),
      (error) => end({ jsonrpc: '2.0', id, error: errorOf(error) }),
    );
  });
}

/** Messages as they come. */
class Events {
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  /** Whoever left hears nothing more, and that is no fault. */
  #left = false;
  readonly stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      this.#controller = controller;
    },
    cancel: () => {
      this.#left = true;
    },
  });

  say(message: object): void {
    if (!this.#left) this.#controller.enqueue(encoder.encode(`event: message\ndata: ${JSON.stringify(message)}\n\n`));
  }

  end(message: object): void {
    this.say(message);
    if (!this.#left) this.#controller.close();
  }
}

const encoder = new TextEncoder();

function errorOf(error: unknown): object {
  const { code, message, data } = error instanceof RpcError ? error : new RpcError(-32_603, 'Internal error');
  return { code, message, ...(data !== undefined && { data }) };
}
