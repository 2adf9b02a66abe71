import { hasOnly } from '../../lib/has-only.ts';
import { isObject } from '../../lib/is-object.ts';
import type { Lingering } from '../../lib/linger-timer.ts';
import { sseEvent, ssePing } from '../../lib/sse.ts';
import { keepAlive } from '../../platform/http/event-stream.ts';
import type { Params } from '../connection.ts';
import type { LogMessage } from '../request-callbacks.ts';
import { type RpcError, statusOf } from './endpoint.ts';
import { ownServerInfo } from './own-server.ts';

/**
 * A call that takes this long (at most twice that) is answered with a stream: clients give up on a response that does
 * not start.
 */
export const quietMs = 1_000;

/** A tool call that needs nothing but its result. */
export interface DirectCall {
  id: string | number;
  method: 'tools/call';
  params: Params;
  /** From a client of the newest revision, which has no session: its result carries extra metadata. */
  newest: boolean;
}

/** Revisions with sessions; in the newest revision each request identifies its client instead. */
const revisions = new Set(['2025-03-26', '2025-06-18', '2025-11-25']);
export const newestRevision = '2026-07-28';
const plainMembers = new Set(['name', 'arguments']);

/**
 * Recognizes the plain tool call, which most requests are. It needs none of the checks that the library makes, nor the
 * objects it builds per request. Everything else is left to the library.
 */
export function directCall({ headers }: Pick<Request, 'headers'>, message: unknown): DirectCall | null {
  const { jsonrpc, id, method, params } = message as Record<string, unknown>;
  if (method !== 'tools/call' || jsonrpc !== '2.0') return null;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return null;
  if (!isObject(params)) return null;
  const revision = headers.get('mcp-protocol-version') ?? '';
  const newest = revision === newestRevision;
  if (!newest && !revisions.has(revision)) return null;
  const plain = newest ? newestParams(headers, params) : hasOnly(params, plainMembers) ? params : null;
  if (!plain) return null;
  const accept = headers.get('accept') ?? '';
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return null;
  return { id: id as string | number, method, params: plain, newest };
}

const own = 'io.modelcontextprotocol/';
const [version, capabilities, info] = [`${own}protocolVersion`, `${own}clientCapabilities`, `${own}clientInfo`];

const newestMembers = new Set([...plainMembers, '_meta']);
const saidMembers = new Set([version, capabilities, info]);

/** The params as the library would pass them on; null if they hold anything else, or contradict the headers. */
function newestParams(headers: Headers, params: Params): Params | null {
  const { name, arguments: given, _meta } = params;
  if (!hasOnly(params, newestMembers) || !isObject(_meta) || !hasOnly(_meta, saidMembers)) return null;
  const { [version]: revision, [capabilities]: has, [info]: client } = _meta;
  if (revision !== newestRevision || !isObject(has) || !isPlain(has)) return null;
  if (client !== undefined && !isPlainInfo(client)) return null;
  // Names that cannot be written in a header are encoded there; leave those to the library.
  if (typeof name !== 'string' || name.startsWith('=?') || headers.get('mcp-name') !== name) return null;
  if (headers.get('mcp-method') !== 'tools/call') return null;
  return { name, arguments: given, _meta: { [capabilities]: has } };
}

const plainCapabilities = new Set(['roots', 'sampling', 'elicitation']);
const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;
function isPlain(has: Params): boolean {
  for (const name in has) if (!plainCapabilities.has(name) || !isEmpty(has[name])) return false;
  return true;
}
const isPlainInfo = (value: unknown): boolean =>
  isObject(value) &&
  Object.keys(value).length === 2 &&
  typeof value.name === 'string' &&
  typeof value.version === 'string';

/** Metadata that the newest revision adds to each result, unless the server has set it. */
const serverInfo = { [`${own}serverInfo`]: { name: ownServerInfo.name, version: ownServerInfo.version } };
function stamped(result: Params): Params {
  const { _meta = serverInfo, resultType = 'complete' } = result;
  return {
    ...result,
    resultType,
    _meta: isObject(_meta) && _meta !== serverInfo ? { ...serverInfo, ..._meta } : _meta,
  };
}

/** Builds the HTTP response. */
export interface ResponseWriter {
  whole(text: string, status?: number): Response;
  events(stream: ReadableStream<Uint8Array>): Response;
}

/** The answer to one call: JSON, or an event stream if messages precede the result or the call takes a while. */
export class DirectAnswer implements Lingering {
  place = -1;
  seen = false;
  readonly #answered = Promise.withResolvers<Response>();
  #events: Events | null = null;

  constructor(
    private readonly call: DirectCall,
    private readonly written: ResponseWriter,
  ) {}

  get response(): Promise<Response> {
    return this.#answered.promise;
  }

  /** In the newest revision clients request logs with each request, and requests that do so are not answered here. */
  log(params: LogMessage): void {
    if (!this.call.newest) this.say({ jsonrpc: '2.0', method: 'notifications/message', params });
  }

  say(message: object): void {
    this.#begun().say(message);
  }

  lingers(): void {
    this.#begun().wait();
  }

  end(result: Params): void {
    const { id, newest } = this.call;
    this.#finish({ jsonrpc: '2.0', id, result: newest ? stamped(result) : result });
  }

  fail(error: RpcError): void {
    const { id, newest } = this.call;
    this.#finish({ jsonrpc: '2.0', id, error: errorOf(error) }, statusOf(error, newest));
  }

  #begun(): Events {
    if (this.#events) return this.#events;
    this.#events = new Events();
    this.#answered.resolve(this.written.events(this.#events.stream));
    return this.#events;
  }

  #finish(message: object, status?: number): void {
    if (this.#events) this.#events.end(message);
    else this.#answered.resolve(this.written.whole(JSON.stringify(message), status));
  }
}

/** An event stream of messages. */
class Events {
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  /** The client disconnected, which is not an error: further messages are dropped. */
  #left = false;
  #stopPings: (() => void) | undefined;
  readonly stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      this.#controller = controller;
    },
    cancel: () => {
      this.#left = true;
      this.#stopPings?.();
    },
  });

  /** The response only starts with its first bytes, and quiet connections are dropped. */
  wait(): void {
    if (this.#left) return;
    this.#write(ssePing);
    this.#stopPings = keepAlive(() => this.#write(ssePing));
  }

  say(message: object): void {
    if (!this.#left) this.#write(sseEvent('message', JSON.stringify(message)));
  }

  end(message: object): void {
    this.#stopPings?.();
    this.say(message);
    if (!this.#left) this.#controller.close();
  }

  #write(text: string): void {
    this.#controller.enqueue(encoder.encode(text));
  }
}

const encoder = new TextEncoder();

function errorOf({ code, message, data }: RpcError): object {
  return { code, message, ...(data !== undefined && { data }) };
}
