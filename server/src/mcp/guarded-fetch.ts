import { setTimeout as sleep } from 'node:timers/promises';
import { collectBytes } from '../lib/collect-bytes.ts';
import { parseExactly } from '../lib/exact-json.ts';
import { refuseHeavy } from '../lib/json-shape.ts';
import { checkedUrl, type OutgoingStream, openGuarded } from '../platform/http/outgoing.ts';
import type { UpstreamConnections } from '../platform/upstream/connections.ts';
import { openPooled, type PooledRequest } from '../platform/upstream/open-pooled.ts';
import { boundedEvents, mostAnswerBytes, type Resume, toFault, tooLarge } from './answer-events.ts';
import { readChallenge } from './challenge.ts';
import { McpFault } from './fault.ts';
import { isSessionLost } from './lost-session.ts';
import { type AccessToken, proverOf, wantsNonce, withProof } from './proofs.ts';

export interface GuardedTarget {
  url: string;
  /** Sent with every request; secret. */
  headers: Record<string, string>;
  timeoutMs: number;
  /** Total time limit of an answer if the client may be asked something meanwhile. */
  longestMs?: number | undefined;
  allowPrivate: boolean;
  /** Kept-alive connections, whose addresses are checked when dialling; absent if only `fetch` can be used. */
  lines?: UpstreamConnections | undefined;
  /** Called with the scopes that a token lacks; returns the error for the caller. */
  lacking?: Lacking | undefined;
  /** Looks up the key that a token to be sent is bound to. */
  tokenShown?: ((text: string) => AccessToken | Promise<AccessToken>) | undefined;
}

type Lacking = (scope: string | undefined) => Promise<McpFault>;
type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * The library's `fetch` to a server: only to the configured address, checked when dialling, without redirects, with
 * limits on time and size. The library gets no streams for messages that a server sends unprompted: each would take a
 * connection, so they are opened only if a client listens (`openListening`).
 */
export function guardedFetch(target: GuardedTarget): Fetch {
  const { href } = checkedUrl(target.url, target);
  return async (url, init = {}) => {
    if (String(url) !== href) throw new McpFault('only the configured address can be called');
    if (init.method === 'GET') return new Response(null, { status: 405 });
    const body = typeof init.body === 'string' ? init.body : undefined;
    const request: PooledRequest = {
      url: href,
      method: init.method ?? 'POST',
      headers: { ...Object.fromEntries(new Headers(init.headers)), ...target.headers, 'accept-encoding': 'identity' },
      ...(body !== undefined && { body }),
      timeoutMs: target.longestMs ?? target.timeoutMs,
      ...(init.signal && { signal: init.signal }),
    };
    const { lines, tokenShown } = target;
    const open = (asked: PooledRequest) => (lines ? openPooled(lines, asked, target) : openGuarded(asked, target));
    const shown = tokenShown && /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const token = shown ? await tokenShown(shown) : undefined;
    const answer = await proven(open, token, request);
    if (answer.status === 403 && target.lacking) await refuseLacking(answer, target.lacking);
    const given = new Headers(init.headers);
    const sessionId = given.get('mcp-session-id') ?? undefined;
    const protocolVersion = given.get('mcp-protocol-version') ?? undefined;
    const resume = resumeIn(target, { sessionId, protocolVersion, token }, init.signal ?? undefined);
    return rendered(answer, href, { body, inSession: sessionId !== undefined, resume });
  };
}

/**
 * Revisions of 2025, resumability: a server may close the stream of a call that takes long, and send the rest of it to a
 * client that comes back. Counts towards the time of the call.
 */
export function resumeIn(
  target: GuardedTarget,
  heard: Omit<Heard, 'after' | 'renewed'>,
  signal?: AbortSignal,
): Resume | undefined {
  if (heard.sessionId === undefined) return undefined;
  const untilMs = performance.now() + (target.longestMs ?? target.timeoutMs);
  return async (after, waitMs, leaving) => {
    const leftMs = untilMs - performance.now();
    if (leftMs <= waitMs) return null;
    const until = AbortSignal.any([leaving, AbortSignal.timeout(leftMs), ...(signal ? [signal] : [])]);
    await sleep(waitMs, undefined, { signal: until });
    return openListening(target, { ...heard, after }, until);
  };
}

/** The session to listen in, and the event to resume after. */
interface Heard {
  sessionId: string | undefined;
  protocolVersion: string | undefined;
  token: AccessToken | undefined;
  /** Fetches a new token if the server rejects this one; absent if there is none. */
  renewed?: (() => Promise<AccessToken>) | undefined;
  after: string | null;
}

/** Streams end after this time, so that the caller has to authenticate again. */
const longestListenMs = 10 * 60_000;

/** A stream of messages that the server sends unprompted, on its own connection; null if the server offers none. */
export async function openListening(
  target: GuardedTarget,
  heard: Heard,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array> | null> {
  const { status, headers, body } = await askToListen(target, heard, signal);
  if (status === 200 && /^text\/event-stream\b/i.test(headers['content-type'] ?? '')) return body;
  await body.cancel();
  if (status === 404 && heard.sessionId !== undefined) throw sessionEnded();
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

/** Adds a proof if the token is bound to a key; retries once if the server answers with a nonce for the proof. */
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

/** RFC 6750 §3.1: a token with more scopes would be accepted. */
async function refuseLacking({ headers, body }: OutgoingStream, lacking: Lacking): Promise<void> {
  const { error, scope } = await readChallenge(headers['www-authenticate']);
  if (error !== 'insufficient_scope') return;
  await body.cancel();
  throw await lacking(scope);
}

interface Sent {
  body: string | undefined;
  inSession: boolean;
  resume?: Resume | undefined;
}

/** Reads the answer within the limits, and rejects redirects. */
export async function rendered(answer: OutgoingStream, href: string, sent: Sent): Promise<Response> {
  const { status } = answer;
  // By the specification: the request was not processed, and a new session must be started.
  if (status === 404 && sent.inSession) {
    await answer.body.cancel();
    throw sessionEnded();
  }
  if (status >= 300 && status < 400) {
    await answer.body.cancel();
    const place = URL.parse(answer.headers.location ?? '', href);
    const to = place ? place.origin + place.pathname : 'elsewhere';
    throw new McpFault(
      'it redirects elsewhere; redirects are not followed',
      `it redirects to ${to}; redirects are not followed`,
    );
  }
  if (status < 200 || status > 599) throw new McpFault(`it returned status ${status}`);
  const type = answer.headers['content-type'] ?? '';
  const session = answer.headers['mcp-session-id'];
  const headers = { 'content-type': type, ...(session !== undefined && { 'mcp-session-id': session }) };
  if (status === 200 && /^text\/event-stream\b/i.test(type))
    return new Response(boundedEvents(answer.body, idOf(sent.body), sent.resume), { status, headers });
  const reader = answer.body.getReader();
  const next = async () => (await reader.read()).value ?? null;
  const { bytes, whole } = await collectBytes(next, mostAnswerBytes).catch((error) => {
    throw toFault(error);
  });
  if (!whole) {
    await reader.cancel();
    throw new McpFault(tooLarge);
  }
  await refuseHeavyAnswer(bytes);
  if (sent.inSession && isSessionLost(status, bytes, sent.body)) throw sessionEnded();
  return new ExactResponse(status === 204 || status === 205 ? null : new Uint8Array(bytes), { status, headers });
}

/** The library parses with this method, and what it parses is passed on. */
class ExactResponse extends Response {
  override async json(): Promise<unknown> {
    return parseExactly(await this.text());
  }
}

const sessionEnded = (): McpFault => new McpFault('it ended the session', undefined, true);

export const refuseHeavyAnswer = (bytes: Uint8Array): Promise<void> =>
  refuseHeavy(bytes).catch(() => {
    throw new McpFault('its response is nested too deeply or has too many values');
  });

function idOf(request: string | undefined): unknown {
  const { id } = JSON.parse(request ?? '{}') as { id?: unknown };
  return id;
}
