import type { ByteSource } from '../lib/byte-source.ts';
import { gather, textOf } from '../lib/gather.ts';
import { SseParser } from '../lib/sse.ts';
import { shapeLimits } from '../platform/http/json-shape.ts';
import { checkedUrl, OutgoingError } from '../platform/http/outgoing.ts';
import { answerOf, type UpstreamConnections } from '../platform/upstream/connections.ts';
import type { AnswerHead } from '../platform/upstream/head.ts';
import { streamOf } from '../platform/upstream/open-kept.ts';
import type { UpstreamAnswer } from '../platform/upstream/source.ts';
import type { Waiting } from './asked-back.ts';
import { givenUp, McpFault } from './fault.ts';
import {
  type GuardedTarget,
  mostAnswerBytes,
  refuseHeavyAnswer,
  rendered,
  toFault,
  tooLarge,
} from './guarded-fetch.ts';

type Params = Record<string, unknown>;

/** What the library knows of the session, and does for whatever is not the answer to a call. */
export interface Underlying {
  sessionId(): string | undefined;
  protocol(): string | undefined;
  /** Something else that the server said in a call: a message to be told on, or a question of its own. */
  hear(message: unknown, of: Waiting): void;
  /** Nobody waits for the answer to this request any more. */
  cancel(id: number): void;
}

/** Before this nobody looks whether the caller has left or time is up: most calls are answered by then. */
const unwatchedMs = 50;

/**
 * Calls of tools of servers that keep sessions, past the library, which takes several times as long for each as everything
 * else together. One request, one answer, as JSON or as events; in the same session, under the same bounds, with the
 * same faults.
 */
export class DirectCalls {
  /** Far from those that the library gives, and from those of other processes that use the same session. */
  #id = 2 ** 32 + Math.floor(Math.random() * 2 ** 32) * 2 ** 16;
  #headers: Record<string, string> = {};
  readonly #href: string;

  constructor(
    private readonly lines: UpstreamConnections,
    private readonly target: GuardedTarget,
    private readonly underlying: Underlying,
  ) {
    this.#href = checkedUrl(target.url, target).href;
  }

  async call(params: Params, passing: Waiting): Promise<Params> {
    this.#id += 1;
    const id = this.#id;
    const body = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${JSON.stringify(params)}}`;
    const headers = this.#headersNow();
    const exchange = this.lines.send({ url: this.#href, method: 'POST', headers, body });
    const watch = new Watch(passing, () => {
      exchange.abort();
      this.underlying.cancel(id);
    });
    try {
      const head = await exchange.head.catch((error) => {
        throw watch.gaveUp ?? unreached(error);
      });
      const answer = answerOf(exchange, head);
      if (isPlain(head)) return this.#resultIn(parsed(await wholeText(answer.body, watch)), id, passing);
      return await this.#readSlowly(answer, { body, inSession: 'mcp-session-id' in headers }, id, watch);
    } finally {
      watch.stop();
    }
  }

  /** The same object for as long as it says the same: heads of requests are kept by it. */
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

  /** Events, refusals, redirects and whatever else a server may answer with. */
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
    const response = await rendered({ status, headers: Object.fromEntries(headers()), body: stream }, this.#href, sent);
    if (!response.ok) throw Object.assign(new Error('it refused'), { data: { status, text: await response.text() } });
    const type = response.headers.get('content-type') ?? '';
    if (/^application\/json\b/i.test(type)) return this.#resultIn(parsed(await response.text()), id, watch.passing);
    if (!/^text\/event-stream\b/i.test(type) || !response.body) throw new Error(`unexpected content type: ${type}`);
    const events = new SseParser(mostAnswerBytes);
    for await (const piece of response.body)
      for (const { event, data } of events.push(piece)) {
        const result = event === '' || event === 'message' ? this.#find(messageIn(data), id, watch.passing) : null;
        if (result) return result;
      }
    // Whoever bounds the events ends them with an error for this request.
    throw new Error('the events ended without an answer');
  }

  #resultIn(given: unknown, id: number, of: Waiting): Params {
    const found = this.#find(given, id, of);
    if (found) return found;
    throw new Error('no answer to what was asked');
  }

  /** The result, where this is the answer, or one of several messages is; the others are the library's. */
  #find(given: unknown, id: number, of: Waiting): Params | null {
    let result: Params | null = null;
    for (const message of Array.isArray(given) ? given : [given]) {
      if (isAnswer(message, id)) result = resultOf(message);
      else if (message !== undefined) this.underlying.hear(message, of);
    }
    return result;
  }
}

/** Gives a call up when its signal says so, which is first asked when the call has taken a while. */
class Watch {
  gaveUp: McpFault | null = null;
  #timer: Timer | null;
  #signal: AbortSignal | null = null;

  constructor(
    readonly passing: Waiting,
    private readonly stopCall: () => void,
  ) {
    this.#timer = setTimeout(() => this.#begin(), unwatchedMs);
  }

  #begin(): void {
    this.#timer = null;
    this.#signal = this.passing.signal;
    if (this.#signal.aborted) this.#giveUp();
    else this.#signal.addEventListener('abort', this.#giveUp, { once: true });
  }

  #giveUp = (): void => {
    this.gaveUp = givenUp(this.#signal!);
    this.stopCall();
  };

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    else this.#signal?.removeEventListener('abort', this.#giveUp);
  }
}

const isPlain = (head: AnswerHead): boolean =>
  head.status === 200 && /^application\/json\b/i.test(head.header('content-type') ?? '');

/** All of the body, mostly there with the head. */
async function wholeText(body: ByteSource, watch: Watch): Promise<string> {
  const text = body.wholeText?.() ?? null;
  // One that is shorter than it may be deep holds nothing that would take long to read.
  if (text !== null && text.length <= shapeLimits.depth && text.charCodeAt(0) !== 0xfeff) return text;
  const { bytes, whole } =
    text === null
      ? await gather(() => body.read(), mostAnswerBytes).catch((error) => {
          throw watch.gaveUp ?? toFault(error);
        })
      : { bytes: Buffer.from(text), whole: true };
  if (!whole) {
    body.abort();
    throw new McpFault(tooLarge);
  }
  await refuseHeavyAnswer(bytes);
  return text === null || text.charCodeAt(0) === 0xfeff ? textOf(bytes) : text;
}

/** Throws where it is no JSON, which is told as what is not of the protocol. */
const parsed = (text: string): unknown => JSON.parse(text);

/** What is no JSON among events is passed over, as the library does. */
function messageIn(data: string): unknown {
  try {
    return JSON.parse(data);
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
    if (!Number.isSafeInteger(code) || typeof message !== 'string') throw new Error('an error that is none');
    throw Object.assign(new Error(message), { code, ...(data !== undefined && { data }) });
  }
  if (typeof result !== 'object' || result === null || Array.isArray(result)) throw new Error('a result that is none');
  return result as Params;
}

const unreached = (error: unknown): McpFault => {
  if (error instanceof OutgoingError) return toFault(error);
  const why = error instanceof Error ? error.message : String(error);
  return new McpFault('it could not be reached', `it could not be reached: ${why}`);
};
