import type { Clock } from '../lib/clock.ts';
import type { AppError } from '../lib/errors.ts';
import type { Price, Usage } from '../lib/money.ts';
import type { Breaker, Permit } from './breaker.ts';
import type { Candidate, Via } from './candidate.ts';
import type { Choice } from './choose.ts';
import type { CredentialMeter, Reservation } from './credential-meter.ts';
import { type Expectation, expectedOf, useOf } from './credential-use.ts';
import type { AttemptRecord, Cause, Decision } from './decision.ts';
import type { Metrics } from './metrics.ts';
import { failureOf } from './plan-failure.ts';
import type { Sample } from './window.ts';

/** How a call ended. `cause` and `status` are for the decision log and for the error if no candidate answers. */
export interface Report extends Sample {
  cause?: Cause;
  status?: number;
  /** When a rate-limited upstream may be retried. */
  retryAfterMs?: number | undefined;
  /** Complete usage, if there is more than the tokens of the sample. */
  usage?: Usage;
}

export interface Attempt {
  readonly candidate: Candidate;
  /** Call once; later reports are ignored. Updates breaker, metrics and decision log. */
  report(report: Report): void;
  /** The connection delivered another answer, which counts towards its credential's limits; absent without limits. */
  usedMore?(usage: Usage, price: Price): void;
  /** A connection reported as successful has failed since: counts like another attempt; absent without limits. */
  failedSince?(report: Report): void;
}

export interface Plan {
  readonly modelId: string;
  readonly strategy: Choice['strategy'];
  /** In the order to try them; the first is the picked one. */
  readonly candidates: readonly Candidate[];
  /** The next candidate whose circuit admits a request, with its permit acquired; null if none is left. */
  next(): Attempt | null;
  /** The error to answer with after `next()` returned null. */
  failure(): AppError;
  /** Ends the plan: releases unreported permits and logs the decision. Safe to call twice. */
  close(): void;
}

export interface PlanDeps {
  clock: Clock;
  breaker: Breaker;
  metrics: Metrics;
  meter: CredentialMeter;
  /** A candidate with each of its usable keys, in the order to try them. */
  keysOf(candidate: Candidate, request: PlanFor): readonly Candidate[];
  /** Called with the candidate that answered. */
  onAnswer?(request: PlanFor, answered: Candidate): void;
  log(decision: Decision): void;
  onReport?: (requestId: string, candidate: Candidate, report: Report) => void;
}

interface PlanFor {
  requestId: string;
  userId: number;
  modelId: string;
  sort: string | null;
  insteadOf?: string | undefined;
  parentRequestId?: string | undefined;
  /** Identifies the conversation, if affinity applies to it. */
  place?: string | undefined;
  /** Circuit key that answered the conversation before. */
  boundTo?: string | null;
  /** Not logged: nothing is asked. */
  trial?: boolean | undefined;
}

/** When to try the other keys of a candidate after a call with one of them. */
function otherKeysAfter({ outcome, cause }: Report): 'next' | 'later' | 'never' {
  // The key's fault: the same upstream may answer with another one.
  if (outcome === 'success' || cause === 'unauthorized' || cause === 'rate_limited') return 'next';
  return cause === 'refused' ? 'never' : 'later';
}

class OneAttempt implements Attempt {
  #reported = false;
  /** What is reserved of its credential's limits. */
  reservation: Reservation | undefined;

  constructor(
    readonly plan: RoutePlan,
    readonly candidate: Candidate,
    readonly permit: Permit,
  ) {}

  report(report: Report): void {
    if (this.#reported) return;
    this.#reported = true;
    this.permit[report.outcome]();
    this.plan.done(this.candidate, report, this.reservation);
  }

  usedMore(usage: Usage, price: Price): void {
    this.plan.usedMore(this.candidate, usage, price);
  }

  failedSince(report: Report): void {
    if (this.#reported) this.plan.failedSince(this.candidate, report);
    else this.report(report);
  }

  /** No outcome was reported: releases the permit and counts nothing. */
  abandon(): void {
    if (this.#reported) return;
    this.#reported = true;
    this.permit.neutral();
    if (this.reservation) this.plan.giveBack(this.candidate, this.reservation);
  }
}

/** Shared by nearly all requests, to save an allocation. */
const noCandidates: readonly Candidate[] = [];

class RoutePlan implements Plan {
  readonly #records: AttemptRecord[] = [];
  readonly #attempts: OneAttempt[] = [];
  readonly #startedAtMs: number;
  readonly #startedMs: number;
  #skipped: readonly Candidate[] = noCandidates;
  /** Candidates whose keys were all at their limits when it was their turn. */
  #atLimits: readonly Candidate[] = noCandidates;
  /** The other keys of the current candidate. */
  #keys: readonly Candidate[] = noCandidates;
  /** Further keys of upstreams that failed, tried after all other candidates. */
  #later: readonly Candidate[] = noCandidates;
  #otherKeys: ReturnType<typeof otherKeysAfter> = 'next';
  #next = 0;
  #closed = false;

  constructor(
    readonly deps: PlanDeps,
    readonly request: PlanFor,
    readonly choice: Choice,
    /** In the order to try them. */
    readonly line: readonly Candidate[],
    readonly expectation: Expectation | undefined,
  ) {
    this.#startedAtMs = deps.clock.nowMs();
    this.#startedMs = deps.clock.steadyMs();
  }

  get modelId(): string {
    return this.request.modelId;
  }

  get strategy(): Choice['strategy'] {
    return this.choice.strategy;
  }

  get candidates(): readonly Candidate[] {
    return this.line;
  }

  next(): Attempt | null {
    if (this.#closed) return null;
    for (let candidate = this.#following(); candidate; candidate = this.#following()) {
      const permit = this.deps.breaker.tryAcquire(candidate.key, this.request.userId);
      if (permit) {
        const attempt = new OneAttempt(this, candidate, permit);
        this.#attempts.push(attempt);
        if (candidate.via && !candidate.via.own) attempt.reservation = this.#sent(candidate.via);
        return attempt;
      }
      this.#skipped = [...this.#skipped, candidate];
    }
    return null;
  }

  #sent({ credential, base }: Via): Reservation | undefined {
    const { expectation } = this;
    return this.deps.meter.sent(credential, expectation && (() => expectedOf(base, expectation.most(base))));
  }

  #following(): Candidate | undefined {
    if (this.#keys.length > 0) {
      if (this.#otherKeys === 'next') {
        const { first, others } = this.#belowLimits(this.#keys);
        this.#keys = others;
        if (first) return first;
      }
      if (this.#otherKeys === 'later') this.#later = [...this.#later, ...this.#keys];
      this.#keys = noCandidates;
    }
    while (this.#next < this.line.length) {
      const candidate = this.line[this.#next]!;
      this.#next += 1;
      this.#otherKeys = 'next';
      if (candidate.channel.credentials === undefined) return candidate;
      const [first, ...others] = this.deps.keysOf(candidate, this.request);
      this.#keys = others;
      if (first) return first;
      this.#atLimits = [...this.#atLimits, candidate];
    }
    if (this.#later.length === 0) return undefined;
    const { first, others } = this.#belowLimits(this.#later);
    this.#later = others;
    return first;
  }

  /** The first key still below its limits, and those after it: other requests may have used up keys meanwhile. */
  #belowLimits(keys: readonly Candidate[]): { first?: Candidate; others: readonly Candidate[] } {
    const at = keys.findIndex(({ via }) => !via || this.deps.meter.waitMs(via.credential) === 0);
    return at < 0 ? { others: noCandidates } : { first: keys[at]!, others: keys.slice(at + 1) };
  }

  failure(): AppError {
    const { modelId, deps } = this;
    const causes = this.#records.map((record) => record.cause);
    return failureOf(deps, { modelId, causes, skipped: this.#skipped, atLimits: this.#atLimits });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const attempt of this.#attempts) attempt.abandon();
    const { requestId, userId, modelId, sort, insteadOf, parentRequestId, trial } = this.request;
    if (trial) return;
    this.deps.log({
      requestId,
      userId,
      modelId,
      sort,
      insteadOf,
      parentRequestId,
      choice: this.choice,
      attempts: this.#records,
      skipped: this.#skipped,
      startedAtMs: this.#startedAtMs,
      tookMs: this.deps.clock.steadyMs() - this.#startedMs,
    });
  }

  giveBack({ via }: Candidate, reservation: Reservation): void {
    if (via) this.deps.meter.ended(via.credential, { failed: false, tokens: 0, spent: 0 }, reservation);
  }

  usedMore({ via }: Candidate, usage: Usage, price: Price): void {
    if (via && !via.own)
      this.deps.meter.ended(via.credential, useOf({ price }, { outcome: 'success', ...usage, usage }));
  }

  failedSince(candidate: Candidate, report: Report): void {
    const { deps, request } = this;
    deps.breaker.tryAcquire(candidate.key, request.userId)?.[report.outcome]();
    if (!candidate.via?.own) deps.metrics.record(candidate.via?.base ?? candidate, report);
    deps.onReport?.(request.requestId, candidate, report);
  }

  done(candidate: Candidate, report: Report, reservation: Reservation | undefined): void {
    const { via } = candidate;
    // Results of a user's own key say nothing about the channel.
    if (!via?.own) this.deps.metrics.record(via?.base ?? candidate, report);
    if (via && !via.own) {
      this.deps.meter.ended(via.credential, useOf(via.base, report), reservation);
      if (report.cause === 'rate_limited') this.deps.meter.coolDown(candidate.key, report.retryAfterMs);
    }
    this.#otherKeys = otherKeysAfter(report);
    if (report.outcome === 'success') this.deps.onAnswer?.(this.request, candidate);
    this.deps.onReport?.(this.request.requestId, candidate, report);
    const { outcome, latencyMs, cause, status, ttftMs } = report;
    this.#records.push({ candidate, outcome, latencyMs, cause, status, ttftMs });
  }
}

export const openPlan = (
  deps: PlanDeps,
  request: PlanFor,
  choice: Choice,
  line: readonly Candidate[],
  expectation: Expectation | undefined,
): Plan => new RoutePlan(deps, request, choice, line, expectation);
