import type { ByteSource } from '../lib/byte-source.ts';
import { collectBytes, textOf } from '../lib/collect-bytes.ts';
import { parseExactly } from '../lib/exact-json.ts';
import { isObject } from '../lib/is-object.ts';
import { shapeLimits } from '../lib/json-shape.ts';
import type { Lingering, LingerTimer } from '../lib/linger-timer.ts';
import { SseParser } from '../lib/sse.ts';
import { checkedUrl, OutgoingError } from '../platform/http/outgoing.ts';
import { answerOf, type UpstreamConnections } from '../platform/upstream/connections.ts';
import type { Exchange } from '../platform/upstream/exchange.ts';
import type { AnswerHead } from '../platform/upstream/head.ts';
import { streamOf } from '../platform/upstream/open-pooled.ts';
import type { UpstreamAnswer } from '../platform/upstream/source.ts';
import { mostAnswerBytes, toFault, tooLarge } from './answer-events.ts';
import { abortReason, McpFault } from './fault.ts';
import { type GuardedTarget, refuseHeavyAnswer, rendered, resumeIn } from './guarded-fetch.ts';
import type { RequestCallbacks, RequestListeners } from './request-callbacks.ts';
import type { Waiting } from './server-questions.ts';

type Params = Record<string, unknown>;

/** The library's part of the session: it handles every message that is not the answer to a call. */
export interface LibrarySession {
  sessionId(): string | undefined;
  protocol(): string | undefined;
  /** Handles any other message that arrived during a call: a notification, or a question of the server. */
  hear(message: unknown, of: Waiting): void;
  /** The answer to this request is no longer needed. */
  cancel(id: number): void;
}

/** Connections shared by all sessions, and the listeners of this one. */
export interface DirectCallDeps {
  lines: UpstreamConnections;
  slow: LingerTimer;
  listeners: RequestListeners;
}

/** Far above the library's ids, which count from 0. */
const firstId = 2 ** 24;
/** Some servers keep ids in 32 bits, and answer larger ones under another id. */
const lastId = 2 ** 31 - 1;

/** Abort signals are not checked before this: most calls are answered by then. */
export const unwatchedMs = 50;

/**
 * Tool calls to servers that keep sessions, bypassing the library, which takes several times as long per call as
 * everything else together. One request, one answer, as JSON or as events; with the same session, limits and errors.
 */
export class DirectCalls {
  /** A random start, because other processes may use the same session. */
  #id = firstId + Math.floor(Math.random() * (lastId - firstId));
  #headers: Record<string, string> = {};
  readonly #href: string;

  constructor(
    private readonly target: GuardedTarget,
    private readonly ways: DirectCallDeps,
    private readonly underlying: LibrarySession,
  ) {
    this.#href = checkedUrl(target.url, target).href;
  }

  async call(params: Params, passing: RequestCallbacks): Promise<Params> {
    this.#id = this.#id < lastId ? this.#id + 1 : firstId;
    const id = this.#id;
    const body = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${JSON.stringify(params)}}`;
    const headers = this.#headersNow();
    const { lines, slow, listeners } = this.ways;
    const exchange = lines.send({ url: this.#href, method: 'POST', headers, body });
    const watch = new Watch(passing, exchange, this.underlying, id);
    slow.add(watch);
    listeners.add(passing);
    let head: AnswerHead | null = null;
    try {
      head = await exchange.head;
      if (!isPlain(head)) {
        const sent = { body, inSession: 'mcp-session-id' in headers };
        return await this.#readSlowly(answerOf(exchange, head), sent, id, watch);
      }
      const text = head.encoding === '' ? exchange.wholeText() : null;
      const read =
        text !== null && isCheap(text) ? text : await checkedText(text, answerOf(exchange, head).body, watch);
      return this.#resultIn(parseExactly(read), id, passing);
    } catch (error) {
      throw head ? error : (watch.gaveUp ?? unreached(error));
    } finally {
      listeners.delete(passing);
      slow.remove(watch);
      watch.stop();
    }
  }

  /** Returns the same object while nothing changes, because serialized request heads are cached by it. */
  #headersNow(): Record<string, string> {
    const session = this.underlying.sessionId();
    const protocol = this.underlying.protocol();
    const before = this.#headers;
    if (before['mcp-session-id'] === session && before['mcp-protocol-version'] === protocol && before.accept)
      return before;
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session !== undefined && { 'mcp-session-id': session }),
      ...(protocol !== undefined && { 'mcp-protocol-version': protocol }),
      ...this.target.headers,
    };
    return this.#headers;
  }

  /** Handles events, errors, redirects and any other kind of answer. */
  async #readSlowly(
    { status, headers, body }: UpstreamAnswer,
    sent: { body: string; inSession: boolean },
    id: number,
    watch: Watch,
  ): Promise<Params> {
    const stream = streamOf(
      body,
      () => {},
      () => watch.gaveUp,
    );
    const heard = {
      sessionId: this.underlying.sessionId(),
      protocolVersion: this.underlying.protocol(),
      token: undefined,
    };
    const resume = resumeIn(this.target, heard, watch.passing.signal);
    const answer = { status, headers: Object.fromEntries(headers), body: stream };
    const response = await rendered(answer, this.#href, { ...sent, resume });
    if (!response.ok)
      throw Object.assign(new Error('it refused the request'), { data: { status, text: await response.text() } });
    const type = response.headers.get('content-type') ?? '';
    if (/^application\/json\b/i.test(type))
      return this.#resultIn(parseExactly(await response.text()), id, watch.passing);
    if (!/^text\/event-stream\b/i.test(type) || !response.body) throw new Error(`unexpected content type: ${type}`);
    const events = new SseParser(mostAnswerBytes);
    for await (const piece of response.body)
      for (const { event, data } of events.push(piece)) {
        const result = event === '' || event === 'message' ? this.#find(messageIn(data), id, watch.passing) : null;
        if (result) return result;
      }
    // Unexpected: the limit on events already ends them with an error for this request.
    throw new Error('the event stream ended without a response');
  }

  #resultIn(given: unknown, id: number, of: Waiting): Params {
    const found = this.#find(given, id, of);
    if (found) return found;
    throw new Error('not a response to the request');
  }

  /** The result, if this message or one of a batch is the answer. */
  #find(given: unknown, id: number, of: Waiting): Params | null {
    if (!Array.isArray(given)) return this.#findIn(given, id, of);
    let result: Params | null = null;
    for (const message of given) result = this.#findIn(message, id, of) ?? result;
    return result;
  }

  /** Any other message goes to the library. */
  #findIn(message: unknown, id: number, of: Waiting): Params | null {
    if (isAnswer(message, id)) return resultOf(message);
    if (message !== undefined) this.underlying.hear(message, of);
    return null;
  }
}

/** Aborts a call when its signal does. The signal is first looked at once the call has taken a while. */
class Watch implements Lingering {
  place = -1;
  seen = false;
  gaveUp: McpFault | null = null;
  #signal: AbortSignal | null = null;

  constructor(
    readonly passing: Waiting,
    private readonly exchange: Exchange,
    private readonly underlying: LibrarySession,
    private readonly id: number,
  ) {}

  lingers(): void {
    this.#signal = this.passing.signal;
    if (this.#signal.aborted) this.handleEvent();
    else this.#signal.addEventListener('abort', this, { once: true });
  }

  /** The method name that `addEventListener` calls. */
  handleEvent(): void {
    this.gaveUp = abortReason(this.#signal!);
    this.exchange.abort();
    this.underlying.cancel(this.id);
  }

  stop(): void {
    this.#signal?.removeEventListener('abort', this);
  }
}

const isPlain = (head: AnswerHead): boolean =>
  head.status === 200 && /^application\/json\b/i.test(head.header('content-type') ?? '');

const isMarked = (text: string): boolean => text.charCodeAt(0) === 0xfeff;
/** A short text can exceed only the limit of depth, and that one only with more brackets. */
const isCheap = (text: string): boolean =>
  text.length <= shapeLimits.names &&
  (text.length <= shapeLimits.depth || countedTo(shapeLimits.depth + 1, text) <= shapeLimits.depth) &&
  !isMarked(text);

/** The brackets that open something, in strings too, counted only so far. */
function countedTo(most: number, text: string): number {
  let count = 0;
  for (const bracket of brackets)
    for (let at = text.indexOf(bracket); at >= 0 && count < most; at = text.indexOf(bracket, at + 1)) count += 1;
  return count;
}

const brackets = ['{', '['];

/** The whole body, if it is cheap enough to parse; `text` if it has arrived already. */
async function checkedText(text: string | null, body: ByteSource, watch: Watch): Promise<string> {
  const bytes = text === null ? await allOf(body, watch) : Buffer.from(text);
  await refuseHeavyAnswer(bytes);
  return text === null || isMarked(text) ? textOf(bytes) : text;
}

async function allOf(body: ByteSource, watch: Watch): Promise<Buffer> {
  const { bytes, whole } = await collectBytes(() => body.read(), mostAnswerBytes).catch((error) => {
    throw watch.gaveUp ?? toFault(error);
  });
  if (whole) return bytes;
  body.abort();
  throw new McpFault(tooLarge);
}

/** Invalid JSON in an event is skipped, as the library does. */
function messageIn(data: string): unknown {
  try {
    return parseExactly(data);
  } catch {
    return undefined;
  }
}

interface Answered {
  result?: unknown;
  error?: { code?: unknown; message?: unknown; data?: unknown };
}

function isAnswer(message: unknown, id: number): message is Answered {
  const { jsonrpc, id: of, method } = (message ?? {}) as Params;
  return jsonrpc === '2.0' && of === id && method === undefined;
}

function resultOf({ result, error }: Answered): Params {
  if (error !== undefined) {
    const { code, message, data } = error ?? {};
    if (!Number.isSafeInteger(code) || typeof message !== 'string') throw new Error('an invalid error');
    throw Object.assign(new Error(message), { code, ...(data !== undefined && { data }) });
  }
  if (!isObject(result)) throw new Error('an invalid result');
  // Only the newest revision has result types, so a session server's value is dropped.
  delete result.resultType;
  return result;
}

const unreached = (error: unknown): McpFault => {
  if (error instanceof OutgoingError) return toFault(error);
  const why = error instanceof Error ? error.message : String(error);
  return new McpFault('it could not be reached', `it could not be reached: ${why}`);
};
