import { AppError } from '../../lib/errors.ts';
import type { Usage } from '../../lib/money.ts';
import type { Candidate, ModelType } from '../../routing/candidate.ts';
import type { Attempt } from '../../routing/plan.ts';
import { settle } from '../bill.ts';
import type { Errand, RelayDeps } from '../deps.ts';
import { type Dispatch, dispatch, kindOf, targetOf } from '../dispatch.ts';
import { openCall } from '../open-call.ts';
import type { ProviderKind, Target, UpstreamRequest } from '../providers/kind.ts';
import { tryCandidates } from '../try-candidates.ts';
import { failure, UpstreamFault } from '../wire/conversation.ts';

/** What one endpoint does differently from the others; everything else is the same story. */
export interface EndpointStory<T> {
  type: ModelType;
  model: string;
  /** Whether this kind of upstream has the endpoint at all. */
  offeredBy(kind: ProviderKind): boolean;
  /** What the answer will cost at most, roughly. */
  estimate(candidate: Candidate): Usage;
  toUpstream(kind: ProviderKind, target: Target): UpstreamRequest;
  /** Reads an answer of status 200. Throws UpstreamFault for one that cannot be used: the next candidate is asked. */
  read(response: Response, kind: ProviderKind, candidate: Candidate): Promise<Read<T>>;
  /** Makes the answer ready to be handed over; its failure is ours, and the caller does not pay. */
  deliver?(value: T): Promise<T>;
}

export interface Read<T> {
  value: T;
  usage: Usage;
}

export interface Answered<T> extends Read<T> {
  candidate: Candidate;
  /** Charged, in quota. */
  cost: number;
}

interface Asked<T> extends Read<T> {
  attempt: Attempt;
  startedMs: number;
}

/** The story of one request outside chat: plan, hold, ask, make ready, charge, answer. */
export async function callEndpoint<T>(deps: RelayDeps, errand: Errand, story: EndpointStory<T>): Promise<Answered<T>> {
  const call = await openCall(deps, errand, story.model, story.type, story.estimate, (candidate) =>
    story.offeredBy(kindOf(candidate)),
  );
  const asked = await tryCandidates(deps, errand, call, (attempt) => ask(deps, errand, story, attempt));
  const { attempt, usage, startedMs } = asked;
  attempt.report({
    outcome: 'success',
    latencyMs: deps.clock.nowMs() - startedMs,
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    wellFormed: true,
    nonEmpty: true,
  });
  let { value } = asked;
  try {
    if (story.deliver) value = await story.deliver(value);
  } catch (error) {
    await call.giveUp();
    throw error;
  }
  call.plan.close();
  const { candidate } = attempt;
  const cost = await settle(deps, errand, call.hold, { candidate, usage, status: 'ok', stream: false, startedMs });
  return { value, usage, candidate, cost };
}

async function ask<T>(deps: RelayDeps, errand: Errand, story: EndpointStory<T>, attempt: Attempt): Promise<Asked<T>> {
  const { candidate } = attempt;
  const kind = kindOf(candidate);
  const sent = await dispatch(deps, attempt, story.toUpstream(kind, targetOf(candidate, errand)), errand, false);
  try {
    await refuseFailure(kind, sent.response);
    return { ...(await story.read(sent.response, kind, candidate)), attempt, startedMs: sent.startedMs };
  } catch (error) {
    throw readFault(error, sent);
  } finally {
    sent.done();
  }
}

export async function refuseFailure(kind: ProviderKind, response: Response): Promise<void> {
  if (response.ok) return;
  throw new UpstreamFault(kind.errorOf(response.status, response.headers, await response.text()));
}

/** Whatever goes wrong while an answer is read is the upstream's doing. */
export function readFault(error: unknown, sent: Dispatch): Error {
  if (error instanceof UpstreamFault || error instanceof AppError) return error;
  const silent = sent.timedOut();
  return new UpstreamFault(failure(silent ? 'the upstream went silent' : String(error), silent ? 504 : 502));
}

export async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new UpstreamFault(failure('the upstream sent an answer that is not JSON'));
  }
}
