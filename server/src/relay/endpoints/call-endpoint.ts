import { answerLimits } from '../../lib/collect-bytes.ts';
import { AppError } from '../../lib/errors.ts';
import type { Usage } from '../../lib/money.ts';
import { readJsonAnswer, readRefusal } from '../../platform/http/read-answer.ts';
import type { Candidate, ModelType } from '../../routing/candidate.ts';
import type { Attempt } from '../../routing/plan.ts';
import { type Estimate, settle } from '../charge.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { type Dispatch, dispatch, kindOf, targetOf } from '../dispatch.ts';
import { type OpenCall, openCall } from '../open-call.ts';
import type { ProviderKind, Target, UpstreamRequest } from '../providers/kind.ts';
import { isStopping, stoppingError } from '../stopping.ts';
import { ClientLeft, tryCandidates } from '../try-candidates.ts';
import { failure, UpstreamFault } from '../wire/conversation.ts';
import { appErrorOf } from '../wire/errors.ts';
import { noteProgress } from './note-progress.ts';

/** What differs between endpoints; everything else is shared. */
export interface Endpoint<T> {
  type: ModelType;
  model: string;
  /** Whether this kind of upstream has the endpoint. */
  offeredBy(kind: ProviderKind): boolean;
  estimate: Estimate;
  toUpstream(kind: ProviderKind, target: Target): UpstreamRequest;
  /** Reads an answer of status 200. Throws UpstreamFault if it is unusable: the next candidate is tried. */
  read(response: Response, kind: ProviderKind, candidate: Candidate, sent: Sent): Promise<Read<T>>;
  /** What the caller has received so far, if anything: it is charged even if the rest fails. */
  handedOn?(): Promise<Usage> | null;
  /** Prepares the answer for delivery; a failure is ours, and the caller does not pay. */
  deliver?(value: T): Promise<T>;
}

/** The request in progress, for reading its answer. */
export interface Sent {
  /** Data arrived. */
  touch(): void;
  /** Asks the same upstream again, if one request is not enough. */
  askMore(request: UpstreamRequest): Promise<Response>;
}

export interface Read<T> {
  value: T;
  usage: Usage;
}

export interface Answered<T> extends Read<T> {
  candidate: Candidate;
  /** The amount charged, in quota. */
  cost: number;
}

interface Asked<T> extends Read<T> {
  attempt: Attempt;
  startedMs: number;
}

/** An answer that broke off after the caller received a part. */
interface Broken {
  attempt: Attempt;
  startedMs: number;
  error: Error;
  usage: Usage;
}

/** One request outside chat: plan, hold, ask, prepare, charge, answer. */
export async function callEndpoint<T>(
  deps: RelayDeps,
  context: RequestContext,
  endpoint: Endpoint<T>,
): Promise<Answered<T>> {
  const call = await openCall(deps, context, endpoint.model, endpoint.type, endpoint.estimate, (candidate) =>
    endpoint.offeredBy(kindOf(candidate)),
  );
  const asked = await tryCandidates(deps, context, call, (attempt) => ask(deps, context, endpoint, call, attempt));
  if ('error' in asked) return breakOff(deps, context, call, asked);
  const { attempt, usage, startedMs } = asked;
  attempt.report({
    outcome: 'success',
    latencyMs: deps.clock.steadyMs() - startedMs,
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    usage,
    wellFormed: true,
    nonEmpty: true,
  });
  let { value } = asked;
  try {
    if (endpoint.deliver) value = await endpoint.deliver(value);
  } catch (error) {
    await call.giveUp();
    throw error;
  }
  call.plan.close();
  const { candidate } = attempt;
  const cost = await settle(deps, context, call.hold, { candidate, usage, status: 'ok', stream: false, startedMs });
  return { value, usage, candidate, cost };
}

async function ask<T>(
  deps: RelayDeps,
  context: RequestContext,
  endpoint: Endpoint<T>,
  call: OpenCall,
  attempt: Attempt,
): Promise<Asked<T> | Broken> {
  const { candidate } = attempt;
  const kind = kindOf(candidate);
  const sent = await dispatch(deps, attempt, endpoint.toUpstream(kind, targetOf(candidate, context)), context, false);
  const { handedOn } = endpoint;
  if (handedOn) sent.onTick(noteProgress(deps, context, call, candidate, handedOn));
  const further: Dispatch[] = [];
  const askMore = async (request: UpstreamRequest): Promise<Response> => {
    const next = await dispatch(deps, attempt, request, context, false);
    further.push(next);
    sent.touch();
    await refuseFailure(kind, next.response);
    return next.response;
  };
  try {
    await refuseFailure(kind, sent.response);
    const read = await endpoint.read(sent.response, kind, candidate, { touch: () => sent.touch(), askMore });
    return { ...read, attempt, startedMs: sent.startedMs };
  } catch (error) {
    for (const one of [sent, ...further]) one.abort();
    const given = handedOn?.();
    if (!given) throw readFault(error, sent);
    return { attempt, startedMs: sent.startedMs, error: readFault(error, sent), usage: await given };
  } finally {
    for (const one of [sent, ...further]) one.done();
  }
}

/** No other candidate takes over, as the caller would get the beginning twice; what was delivered is charged. */
async function breakOff(
  deps: RelayDeps,
  context: RequestContext,
  call: OpenCall,
  { attempt, startedMs, error, usage }: Broken,
): Promise<never> {
  const left = context.signal.aborted;
  const stopping = isStopping(deps, context);
  attempt.report({
    outcome: left || stopping ? 'neutral' : 'failure',
    cause: left ? 'client_left' : stopping ? 'stopping' : 'truncated',
    latencyMs: deps.clock.steadyMs() - startedMs,
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    usage,
    wellFormed: false,
    nonEmpty: true,
  });
  call.plan.close();
  const status = left ? 'aborted' : 'interrupted';
  await settle(deps, context, call.hold, { candidate: attempt.candidate, usage, status, stream: true, startedMs });
  if (left) throw new ClientLeft();
  if (stopping) throw stoppingError();
  throw error instanceof UpstreamFault ? appErrorOf(error.error) : error;
}

export async function refuseFailure(kind: ProviderKind, response: Response): Promise<void> {
  if (response.ok) return;
  throw new UpstreamFault(kind.errorOf(response.status, response.headers, await readRefusal(response)));
}

/** Any error while reading an answer is the upstream's. */
export function readFault(error: unknown, sent: Dispatch): Error {
  if (error instanceof UpstreamFault || error instanceof AppError) return error;
  const silent = sent.timedOut();
  return new UpstreamFault(failure(silent ? 'the upstream stopped responding' : String(error), silent ? 504 : 502));
}

export async function readJson(response: Response, mostBytes: number = answerLimits.json): Promise<unknown> {
  try {
    return await readJsonAnswer(response, mostBytes);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UpstreamFault(failure('the upstream response is not JSON'));
  }
}
