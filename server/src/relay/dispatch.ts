import { isFree } from '../lib/money.ts';
import { isLocalExhaustion } from '../platform/http/local-exhaustion.ts';
import { answerOf } from '../platform/upstream/connections.ts';
import type { Exchange } from '../platform/upstream/exchange.ts';
import { AnswerHead } from '../platform/upstream/head.ts';
import { fetchedAnswer, type UpstreamAnswer } from '../platform/upstream/source.ts';
import type { Candidate } from '../routing/candidate.ts';
import type { Cause } from '../routing/decision.ts';
import type { Attempt } from '../routing/plan.ts';
import { withCredential } from './credentials/with-credential.ts';
import type { RelayDeps, RequestContext } from './deps.ts';
import { demoFetch } from './providers/demo/demo-fetch.ts';
import { providerKinds } from './providers/index.ts';
import type { ProviderKind, Target, UpstreamRequest } from './providers/kind.ts';
import { noClientHeaders } from './request-context.ts';
import { isStopping } from './stopping.ts';
import type { Watched } from './watchdog.ts';
import { type UpstreamError, UpstreamFault } from './wire/conversation.ts';

/** A call to an upstream that is in progress. */
export interface UpstreamCall {
  startedMs: number;
  /** When data last arrived, to a quarter of a second; updated with every tick. */
  readonly lastMs: number;
  /** Data arrived: restarts the silence timeout. */
  touch(): void;
  /** Changes the silence timeout. */
  allowSilence(ms: number): void;
  onTick(tick: ((nowMs: number) => void) | undefined): void;
  abort(): void;
  /** Stops watching; call it once the answer has been read. */
  done(): void;
  timedOut(): boolean;
}

export interface Dispatch extends UpstreamCall {
  response: Response;
}

export class DispatchFault extends Error {
  constructor(
    readonly why: Cause,
    readonly startedMs: number,
    detail: string,
  ) {
    super(detail);
  }
}

/** Classifies an answer that could not be read to its end. */
const brokenOff = (sent: Pick<UpstreamCall, 'timedOut' | 'startedMs'>, error: unknown): DispatchFault =>
  sent.timedOut()
    ? new DispatchFault('timeout', sent.startedMs, 'the upstream stopped responding')
    : new DispatchFault('truncated', sent.startedMs, String(error));

/** The built-in provider speaks OpenAI's format, in this process. */
export function kindOf({ channel, modelName }: Candidate): ProviderKind {
  const kind = providerKinds[channel.kind === 'demo' ? 'openai' : channel.kind]!;
  return kind.forModel?.(modelName) ?? kind;
}

/** Targets of requests without forwarded headers, cached: a changed channel gets new candidates. */
const usualTargets = new WeakMap<Candidate, Target>();

export function targetOf(candidate: Candidate, context: Pick<RequestContext, 'clientHeaders'>): Target {
  const usual = context.clientHeaders === noClientHeaders;
  const known = usual ? usualTargets.get(candidate) : undefined;
  if (known) return known;
  const target: Target = {
    baseUrl: candidate.channel.baseUrl || 'http://demo.invalid/v1',
    credential: candidate.channel.credential,
    modelName: candidate.modelName,
    provider: candidate.channel.provider,
    maxOutputTokens: candidate.maxOutputTokens > 0 ? candidate.maxOutputTokens : undefined,
    paid: !isFree(candidate.price),
    searches: candidate.price.searchPrice !== undefined,
    knownToSearch: candidate.capabilities.web_search === true,
    clientHeaders: context.clientHeaders,
  };
  if (usual) usualTargets.set(candidate, target);
  return target;
}

/** One object for the call and its watchdog entry, because thousands are open at once. */
class WatchedCall implements Dispatch, Watched {
  response!: Response;
  lastMs: number;
  heard = false;
  place = -1;
  silenceMs: number;
  /** Aborting uses the controller for `fetch` and the exchange for our own connections. */
  #controller: AbortController | undefined;
  exchange: Exchange | undefined;
  #aborted = false;
  #tick: ((nowMs: number) => void) | undefined;
  #timedOut = false;

  constructor(
    readonly deps: RelayDeps,
    readonly context: RequestContext,
    timeoutMs: number,
    readonly startedMs: number,
  ) {
    this.lastMs = startedMs;
    this.silenceMs = timeoutMs;
    deps.watchdog.watch(this);
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted) this.#controller.abort();
    return this.#controller.signal;
  }

  runs(exchange: Exchange): Exchange {
    this.exchange = exchange;
    if (this.#aborted) exchange.abort();
    return exchange;
  }

  touch(): void {
    this.heard = true;
  }

  allowSilence(ms: number): void {
    this.silenceMs = ms;
  }

  onTick(tick: ((nowMs: number) => void) | undefined): void {
    this.#tick = tick;
  }

  /** Checks here whether the client has disconnected: an abort listener per call would cost more than polling. */
  tick(nowMs: number): void {
    if (this.context.signal.aborted || isStopping(this.deps, this.context)) this.abort();
    this.context.waits?.();
    this.#tick?.(nowMs);
  }

  expired(): void {
    this.#timedOut = true;
    this.abort();
  }

  timedOut(): boolean {
    return this.#timedOut;
  }

  abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
    this.exchange?.abort();
  }

  done(): void {
    this.deps.watchdog.forget(this);
  }
}

/** A call whose answer is read chunk by chunk, or as text. */
export class ChatCall extends WatchedCall {
  #head: Promise<AnswerHead | Response> | null = null;
  #begun = false;

  waitsFor(head: Promise<AnswerHead | Response>): this {
    this.#head = head;
    return this;
  }

  /** May be called once: the promise is not kept, since a stream may stay open for long. */
  head(): Promise<AnswerHead | Response> {
    const head = this.#head!;
    this.#head = null;
    return head;
  }

  /** The answer that starts with the given head. */
  answer(head: AnswerHead | Response): UpstreamAnswer {
    this.#begun = true;
    return head instanceof AnswerHead ? answerOf(this.exchange!, head) : fetchedAnswer(head);
  }

  fault(error: unknown): DispatchFault | UpstreamFault {
    return this.#begun ? brokenOff(this, error) : notBegun(this, error);
  }
}

/** Sends the request and waits for the response head; throws DispatchFault after the channel's timeout. */
export async function dispatch(
  deps: RelayDeps,
  attempt: Attempt,
  request: UpstreamRequest,
  context: RequestContext,
  stream: boolean,
): Promise<Dispatch> {
  const { channel } = attempt.candidate;
  const call = new WatchedCall(deps, context, channel.timeoutMs, deps.clock.steadyMs());
  try {
    const ready = request.proof ? await withCredential(request, channel.baseUrl) : request;
    call.response = await send(deps, channel.kind, ready, stream, call.signal);
    return call;
  } catch (error) {
    throw notBegun(call, error);
  }
}

/**
 * The same for chat answers, over our own connections where they can reach the upstream. Sends at once; once
 * `sent.head()` has resolved, `sent.fault` classifies any further error.
 */
export function dispatchChat(
  deps: RelayDeps,
  attempt: Attempt,
  request: UpstreamRequest,
  context: RequestContext,
  stream: boolean,
): ChatCall {
  const call = new ChatCall(deps, context, attempt.candidate.channel.timeoutMs, deps.clock.steadyMs());
  try {
    return call.waitsFor(headOf(attempt, request, stream, call));
  } catch (error) {
    throw notBegun(call, error);
  }
}

/** Also used to ask again within a call that is in progress. */
export function headOf(attempt: Attempt, request: UpstreamRequest, stream: boolean, call: ChatCall) {
  const { kind, baseUrl } = attempt.candidate.channel;
  if (!request.proof) return sendChat(kind, request, stream, call);
  return sendProven(withCredential(request, baseUrl), kind, stream, call);
}

const sendProven = async (request: Promise<UpstreamRequest>, kind: string, stream: boolean, call: ChatCall) =>
  sendChat(kind, await request, stream, call);

function sendChat(kind: string, request: UpstreamRequest, stream: boolean, call: ChatCall) {
  const { deps } = call;
  return deps.upstreams && kind !== 'demo' && isText(request)
    ? call.runs(deps.upstreams.send(request)).head
    : send(deps, kind, request, stream, call.signal);
}

const isText = (request: UpstreamRequest): request is UpstreamRequest & { body?: string } =>
  request.body === undefined || typeof request.body === 'string';

function notBegun(call: WatchedCall, error: unknown): DispatchFault | UpstreamFault {
  call.done();
  // The vendor refused a token, and its error says why.
  if (error instanceof UpstreamFault) return error;
  if (call.context.signal.aborted) return new DispatchFault('client_left', call.startedMs, 'the client disconnected');
  if (call.timedOut()) return new DispatchFault('timeout', call.startedMs, String(error));
  return new DispatchFault(isLocalExhaustion(error) ? 'shortage' : 'connection', call.startedMs, String(error));
}

function send(
  deps: RelayDeps,
  kind: string,
  { url, method, headers, body }: UpstreamRequest,
  stream: boolean,
  signal: AbortSignal,
): Promise<Response> {
  if (kind === 'demo') return askDemo(deps, url, body, stream, signal);
  // Redirects are refused: a credential must not reach another host. Timeouts are the watchdog's.
  const init: BunFetchRequestInit & { timeout?: boolean } = {
    method,
    headers,
    signal,
    redirect: 'manual',
    timeout: false,
    ...(body !== undefined && { body }),
  };
  return fetch(url, init);
}

async function askDemo(
  deps: RelayDeps,
  url: string,
  body: UpstreamRequest['body'],
  stream: boolean,
  signal: AbortSignal,
): Promise<Response> {
  // The body was serialized just now; yield before parsing it again, since it may hold 32 MiB of images.
  if (typeof body === 'string') await new Promise(setImmediate);
  const parsed = typeof body === 'string' ? JSON.parse(body) : body;
  return demoFetch({ path: new URL(url).pathname, body: parsed, stream, signal }, deps.demo);
}

/** How a refusal counts for the circuit breaker and the log. */
export function reportOf(error: UpstreamError): { outcome: 'failure' | 'neutral'; cause: Cause; status: number } {
  const causes = { caller: 'refused', busy: 'rate_limited', auth: 'unauthorized', failure: 'server_error' } as const;
  if (error.byRequest) return { outcome: 'neutral', cause: 'refused', status: error.status };
  const outcome = error.kind === 'caller' || error.kind === 'busy' ? 'neutral' : 'failure';
  const cause = error.kind === 'failure' && error.status === 504 ? 'timeout' : causes[error.kind];
  return { outcome, cause, status: error.status };
}

export const noSample = { promptTokens: 0, completionTokens: 0, wellFormed: false, nonEmpty: false } as const;
