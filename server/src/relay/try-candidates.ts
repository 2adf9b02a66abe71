import type { UpstreamWords } from '../billing/failures.ts';
import { AppError } from '../lib/errors.ts';
import type { Cause } from '../routing/decision.ts';
import type { Attempt, Report } from '../routing/plan.ts';
import type { RelayDeps, RequestContext } from './deps.ts';
import { DispatchFault, noSample, reportOf } from './dispatch.ts';
import { noteFailure, wordsOf } from './note-failure.ts';
import type { OpenCall } from './open-call.ts';
import { retryAfterOf, retryHeaders } from './retry-headers.ts';
import { isStopping, stoppingError } from './stopping.ts';
import { UpstreamFault } from './wire/conversation.ts';
import { appErrorOf } from './wire/errors.ts';

/** The client disconnected: there is nothing to charge, and no failure of the service. */
export class ClientLeft extends AppError {
  constructor() {
    // Nginx's status for it; no client ever sees it.
    super('unavailable', 'The client closed the connection.', { status: 499 });
  }
}

/**
 * Works through the plan until a candidate starts to answer. Errors caused by the request itself go to the caller at
 * once; all others lead to the next candidate.
 */
export async function tryCandidates<T>(
  deps: RelayDeps,
  context: RequestContext,
  call: OpenCall,
  ask: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  let refusal: AppError | null = null;
  let sentAway = nobody;
  let words: UpstreamWords | undefined;
  const begunMs = deps.clock.steadyMs();
  try {
    for (let attempt = call.plan.next(); attempt; attempt = call.plan.next()) {
      const startedMs = deps.clock.steadyMs();
      try {
        return await ask(attempt);
      } catch (error) {
        words = wordsOf(attempt, error) ?? words;
        const next = judge(deps, context, attempt, error, startedMs);
        if (next.throw) throw next.throw;
        refusal = next.refusal ?? refusal;
        if (next.headers) sentAway = [...sentAway, next.headers];
      }
    }
    throw refusal ?? withHeaders(call.plan.failure(), sentAway, deps.clock.nowMs());
  } catch (error) {
    if (!(error instanceof ClientLeft))
      noteFailure(deps, context, call.modelId, error, deps.clock.steadyMs() - begunMs, words);
    await call.giveUp();
    throw error;
  }
}

const nobody: readonly Record<string, string>[] = [];

interface Verdict {
  /** Ends the search. */
  throw?: Error;
  /** The answer if no other candidate supports the request. */
  refusal?: AppError;
  /** Of a rate-limited upstream. */
  headers?: Record<string, string>;
}

function judge(deps: RelayDeps, context: RequestContext, attempt: Attempt, error: unknown, startedMs: number): Verdict {
  const latencyMs = deps.clock.steadyMs() - startedMs;
  const fail = (outcome: 'failure' | 'neutral', cause: Cause, more: Pick<Report, 'status' | 'retryAfterMs'> = {}) =>
    attempt.report({ ...noSample, outcome, cause, latencyMs, ...more });
  if (context.signal.aborted) {
    fail('neutral', 'client_left');
    return { throw: new ClientLeft() };
  }
  if (isStopping(deps, context)) {
    fail('neutral', 'stopping');
    return { throw: stoppingError() };
  }
  if (error instanceof UpstreamFault) {
    const { outcome, cause, status } = reportOf(error.error);
    fail(outcome, cause, {
      status,
      ...(cause === 'rate_limited' && { retryAfterMs: retryAfterOf(error.error.headers, deps.clock.nowMs()) }),
    });
    if (error.error.kind === 'caller') {
      const told = appErrorOf(error.error);
      return error.error.byRequest ? { refusal: told } : { throw: told };
    }
    logFailure(deps, context, attempt, error.message, status);
    return error.error.kind === 'busy' ? { headers: error.error.headers } : {};
  }
  if (error instanceof DispatchFault && error.why === 'shortage') {
    fail('neutral', error.why);
    deps.log.error(
      { requestId: context.requestId, reason: error.message },
      'no file descriptor was available for an upstream connection',
    );
    // The next candidate would need a descriptor as well.
    const message = 'The service has no free connection right now. Try again in a moment.';
    return { throw: new AppError('unavailable', message, {}, error) };
  }
  if (error instanceof DispatchFault) {
    fail('failure', error.why);
    logFailure(deps, context, attempt, error.message);
    return {};
  }
  // Another vendor may support the parameter.
  if (error instanceof AppError && error.code === 'unsupported_parameter') {
    fail('neutral', 'refused');
    return { refusal: error };
  }
  fail('neutral', 'refused');
  return { throw: error instanceof Error ? error : new Error(String(error)) };
}

function logFailure(
  deps: RelayDeps,
  context: RequestContext,
  attempt: Attempt,
  message: string,
  status?: number,
): void {
  const { channel, modelId } = attempt.candidate;
  deps.log.warn(
    {
      requestId: context.requestId,
      provider: channel.provider,
      channel: channel.id,
      model: modelId,
      status,
      reason: message,
    },
    'an upstream failed',
  );
}

function withHeaders(error: AppError, sentAway: readonly Record<string, string>[], nowMs: number): AppError {
  if (error.code !== 'capacity_exhausted' || sentAway.length === 0) return error;
  return new AppError(
    error.code,
    error.message,
    { ...error.extras, headers: retryHeaders(sentAway, nowMs) },
    error.detail,
  );
}
