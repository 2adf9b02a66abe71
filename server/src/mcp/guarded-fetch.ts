import { gather } from '../lib/gather.ts';
import { isObject } from '../lib/is-object.ts';
import { SseParser } from '../lib/sse.ts';
import { refuseHeavy } from '../platform/http/json-shape.ts';
import { checkedUrl, OutgoingError, type OutgoingStream, openGuarded } from '../platform/http/outgoing.ts';
import type { UpstreamConnections } from '../platform/upstream/connections.ts';
import { type KeptRequest, openKept } from '../platform/upstream/open-kept.ts';
import { readChallenge } from './challenge.ts';
import { McpFault } from './fault.ts';
import { type AccessToken, proverOf, wantsNonce, withProof } from './proofs.ts';

/** What is read of one answer. A tool that has more to say than this does not say it to a model. */
export const mostAnswerBytes = 1024 * 1024;

export interface GuardedTarget {
  url: string;
  /** Sent with every request, and known to nobody else. */
  headers: Record<string, string>;
  timeoutMs: number;
  /** How long an answer may take in all, where whoever asked can be asked something meanwhile. */
  longestMs?: number | undefined;
  allowPrivate: boolean;
  /** Kept, and checked when they are dialled; absent where only the system's own client reaches others. */
  lines?: UpstreamConnections | undefined;
  /** Told the scopes that a token would need besides; says what whoever called is told. */
  lacking?: Lacking | undefined;
  /** What a token that is about to be shown is bound to. */
  tokenShown?: ((text: string) => AccessToken | Promise<AccessToken>) | undefined;
}

type Lacking = (scope: string | undefined) => Promise<McpFault>;
type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export const tooLarge = `its answer is larger than ${mostAnswerBytes / 1024 / 1024} MiB`;
const endedEarly = 'it closed the connection before it had answered';

/**
 * How the library reaches a server: over connections that are checked when they are dialled, to the one address that the
 * operator gave, following nothing, with bounds on time and size. Streams that a server keeps open to speak first the
 * library does not get: a connection each, for which somebody has to listen (`openListening`).
 */
export function guardedFetch(target: GuardedTarget): Fetch {
  const { href } = checkedUrl(target.url, target);
  return async (url, init = {}) => {
    if (String(url) !== href) throw new McpFault('another address than the one configured is not called');
    if (init.method === 'GET') return new Response(null, { status: 405 });
    const body = typeof init.body === 'string' ? init.body : undefined;
    const request: KeptRequest = {
      url: href,
      method: init.method ?? 'POST',
      headers: { ...Object.fromEntries(new Headers(init.headers)), ...target.headers, 'accept-encoding': 'identity' },
      ...(body !== undefined && { body }),
      timeoutMs: target.longestMs ?? target.timeoutMs,
      ...(init.signal && { signal: init.signal }),
    };
    const { lines, tokenShown } = target;
    const open = (asked: KeptRequest) => (lines ? openKept(lines, asked, target) : openGuarded(asked, target));
    const shown = tokenShown && /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const answer = await proven(open, shown ? await tokenShown(shown) : undefined, request);
    if (answer.status === 403 && target.lacking) await refuseLacking(answer, target.lacking);
    return rendered(answer, href, { body, inSession: new Headers(init.headers).has('mcp-session-id') });
  };
}

/** In which session is listened, and from where on. */
interface Heard {
  sessionId: string | undefined;
  protocolVersion: string | undefined;
  token: AccessToken | undefined;
  /** Another, where the server does not take this one; absent where there is none to be had. */
  renewed?: (() => Promise<AccessToken>) | undefined;
  after: string | null;
}

/** Nobody listens longer than this without having said once more who they are. */
const longestListenMs = 10 * 60_000;

/** What a server says by itself, on a connection of its own; null where it does not. */
export async function openListening(
  target: GuardedTarget,
  heard: Heard,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array> | null> {
  const { status, headers, body } = await askToListen(target, heard, signal);
  if (status === 200 && /^text\/event-stream\b/i.test(headers['content-type'] ?? '')) return body;
  await body.cancel();
  if (status === 404 && heard.sessionId !== undefined) throw new McpFault('it ended the session', undefined, true);
  if (status !== 401 || !heard.renewed) return null;
  return openListening(target, { ...heard, token: await heard.renewed(), renewed: undefined }, signal);
}

async function askToListen(
  target: GuardedTarget,
  { sessionId, protocolVersion, token, after }: Heard,
  signal: AbortSignal,
): Promise<OutgoingStream> {
  const headers = {
    accept: 'text/event-stream',
    'accept-encoding': 'identity',
    ...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
    ...(protocolVersion !== undefined && { 'mcp-protocol-version': protocolVersion }),
    ...(after !== null && { 'last-event-id': after }),
    ...(token && { authorization: `Bearer ${token.text}` }),
    ...target.headers,
  };
  const request = {
    url: checkedUrl(target.url, target).href,
    method: 'GET',
    headers,
    timeoutMs: longestListenMs,
    signal,
  };
  return proven((asked) => openGuarded(asked, target), token, request);
}

/** With a proof where the token wants one; once more where the proof wanted something that only the answer says. */
async function proven<R extends Parameters<typeof withProof>[1]>(
  open: (request: R) => Promise<OutgoingStream>,
  token: AccessToken | undefined,
  request: R,
): Promise<OutgoingStream> {
  const opened = (asked: R) =>
    open(asked).catch((error) => {
      throw toFault(error);
    });
  if (token?.key === undefined) return opened(request);
  const prover = await proverOf(token.key);
  const first = await opened(await withProof(prover, request, token.text));
  if (!wantsNonce(prover, request.url, first)) return first;
  await first.body.cancel();
  const second = await opened(await withProof(prover, request, token.text));
  wantsNonce(prover, request.url, second);
  return second;
}

/** RFC 6750 §3.1: there are tokens that allow more. */
async function refuseLacking({ headers, body }: OutgoingStream, lacking: Lacking): Promise<void> {
  const { error, scope } = await readChallenge(headers['www-authenticate']);
  if (error !== 'insufficient_scope') return;
  await body.cancel();
  throw await lacking(scope);
}

interface Sent {
  body: string | undefined;
  inSession: boolean;
}

/** The answer as far as it may be read: no redirect, and no more than is told to a model. */
export async function rendered(answer: OutgoingStream, href: string, sent: Sent): Promise<Response> {
  const { status } = answer;
  // By the specification: nothing was done, and a new session is to be begun.
  if (status === 404 && sent.inSession) {
    await answer.body.cancel();
    throw new McpFault('it ended the session', undefined, true);
  }
  if (status >= 300 && status < 400) {
    await answer.body.cancel();
    const place = URL.parse(answer.headers.location ?? '', href);
    const to = place ? place.origin + place.pathname : 'elsewhere';
    throw new McpFault('it redirects elsewhere, which is not followed', `it redirects to ${to}, which is not followed`);
  }
  if (status < 200 || status > 599) throw new McpFault(`it answered with status ${status}`);
  const type = answer.headers['content-type'] ?? '';
  const session = answer.headers['mcp-session-id'];
  const headers = { 'content-type': type, ...(session !== undefined && { 'mcp-session-id': session }) };
  if (status === 200 && /^text\/event-stream\b/i.test(type))
    return new Response(boundedEvents(answer.body, idOf(sent.body)), { status, headers });
  const reader = answer.body.getReader();
  const next = async () => (await reader.read()).value ?? null;
  const { bytes, whole } = await gather(next, mostAnswerBytes).catch((error) => {
    throw toFault(error);
  });
  if (!whole) {
    await reader.cancel();
    throw new McpFault(tooLarge);
  }
  await refuseHeavyAnswer(bytes);
  return new Response(status === 204 || status === 205 ? null : new Uint8Array(bytes), { status, headers });
}

export const refuseHeavyAnswer = (bytes: Uint8Array): Promise<void> =>
  refuseHeavy(bytes).catch(() => {
    throw new McpFault('its answer is nested too deeply, or made of too many values');
  });

export function toFault(error: unknown): McpFault {
  if (error instanceof McpFault) return error;
  if (!(error instanceof OutgoingError)) return new McpFault(endedEarly);
  if (error.fault === 'timeout' || error.fault === 'aborted') return new McpFault('it did not answer in time');
  const words = error.fault === 'network' ? 'it could not be reached' : 'its address may not be called';
  return new McpFault(words, `${words}: ${error.message}`);
}

function idOf(request: string | undefined): unknown {
  const { id } = JSON.parse(request ?? '{}') as { id?: unknown };
  return id;
}

/**
 * The events until the answer, and where there is none an error for the request: the library would wait until time is up. What a
 * server has to say after the answer nobody waits for, and one that keeps the stream open would keep a connection with each call.
 */
function boundedEvents(body: ReadableStream<Uint8Array>, id: unknown): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let left = mostAnswerBytes;
  const events = new SseParser(mostAnswerBytes);
  const hasAnswered = (piece: Uint8Array) => events.push(piece).some(({ data }) => isAnswerTo(id, data));
  const end = (controller: ReadableStreamDefaultController<Uint8Array>, message: string) => {
    const error = { jsonrpc: '2.0', id, error: { code: streamFault, message } };
    // The line before may be half an event.
    controller.enqueue(new TextEncoder().encode(`\n\ndata: ${JSON.stringify(error)}\n\n`));
    controller.close();
  };
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (done) return end(controller, endedEarly);
        left -= value.byteLength;
        if (left >= 0) {
          controller.enqueue(value);
          if (!hasAnswered(value)) return;
          controller.close();
          return await reader.cancel();
        }
        end(controller, tooLarge);
        await reader.cancel();
      } catch (error) {
        end(controller, toFault(error).message);
      }
    },
    cancel: () => reader.cancel(),
  });
}

function isAnswerTo(id: unknown, data: string): boolean {
  try {
    const message = JSON.parse(data) as unknown;
    return isObject(message) && message.id === id && message.method === undefined;
  } catch {
    return false;
  }
}

/** In the range that JSON-RPC leaves to implementations; no server of the specification's uses it. */
export const streamFault = -32_099;
