import type { Clock } from '../lib/clock.ts';
import type { AppError } from '../lib/errors.ts';
import type { Usage } from '../lib/money.ts';
import type { Breaker, Permit } from './breaker.ts';
import type { Candidate, Via } from './candidate.ts';
import type { Choice } from './choose.ts';
import type { CredentialMeter, PutAside } from './credential-meter.ts';
import { type Expectation, expectedOf, useOf } from './credential-use.ts';
import type { AttemptRecord, Cause, Decision } from './decision.ts';
import type { Metrics } from './metrics.ts';
import { failureOf } from './plan-failure.ts';
import type { Sample } from './window.ts';

/** How a call ended. `cause` and `status` are for the decision log and for the error when nobody answers. */
export interface Report extends Sample {
  cause?: Cause;
  status?: number;
  /** When an upstream that is at its limit wants to be asked again. */
  retryAfterMs?: number | undefined;
  /** All that was used, where there is more to say than the tokens of the sample. */
  usage?: Usage;
}

export interface Attempt {
  readonly candidate: Candidate;
  /** Once; later reports are ignored. Moves the breaker, counts in the metrics, goes into the decision log. */
  report(report: Report): void;
  /** The same connection brought one more answer, which counts towards the limits of its credential; absent where nobody counts. */
  usedMore?(usage: Usage): void;
  /** A connection that was reported well has failed since: counts like one more attempt; absent where nobody counts. */
  failedSince?(report: Report): void;
}

export interface Plan {
  readonly modelId: string;
  readonly strategy: Choice['strategy'];
  /** In the order of trying; the first is the picked one. */
  readonly candidates: readonly Candidate[];
  /** The next candidate whose circuit lets a request through, its permit taken; null when none is left. */
  next(): Attempt | null;
  /** What to answer when `next()` gave null. */
  failure(): AppError;
  /** Ends the plan: gives unreported permits back and logs the decision. Safe to call twice. */
  close(): void;
}

export interface PlanDeps {
  clock: Clock;
  breaker: Breaker;
  metrics: Metrics;
  meter: CredentialMeter;
  /** A candidate with each of its keys that may be used now, in the order of trying. */
  keysOf(candidate: Candidate, request: PlanFor): readonly Candidate[];
  /** Told who gave an answer. */
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
  /** Names the conversation, where there is one to come back to. */
  place?: string | undefined;
  /** Key of the way that the conversation went before. */
  boundTo?: string | null;
}

/** When the other keys of a candidate are tried that did not answer with one. */
function otherKeysAfter({ outcome, cause }: Report): 'next' | 'later' | 'never' {
  // Faults of the key: with another one the same upstream may answer.
  if (outcome === 'success' || cause === 'unauthorized' || cause === 'rate_limited') return 'next';
  return cause === 'refused' ? 'never' : 'later';
}

class OneAttempt implements Attempt {
  #reported = false;
  /** What is put aside of its credential's limits. */
  aside: PutAside | undefined;

  constructor(
    readonly plan: RoutePlan,
    readonly candidate: Candidate,
    readonly permit: Permit,
  ) {}

  report(report: Report): void {
    if (this.#reported) return;
    this.#reported = true;
    this.permit[report.outcome]();
    this.plan.done(this.candidate, report, this.aside);
  }

  usedMore(usage: Usage): void {
    this.plan.usedMore(this.candidate, usage);
  }

  failedSince(report: Report): void {
    if (this.#reported) this.plan.failedSince(this.candidate, report);
    else this.report(report);
  }

  /** Nobody said how it ended: the place is given back, nothing is counted. */
  abandon(): void {
    if (this.#reported) return;
    this.#reported = true;
    this.permit.neutral();
    if (this.aside) this.plan.giveBack(this.candidate, this.aside);
  }
}

/** Of nearly every request: nothing is made for what does not happen. */
const nobody: readonly Candidate[] = [];

class RoutePlan implements Plan {
  readonly #records: AttemptRecord[] = [];
  readonly #attempts: OneAttempt[] = [];
  readonly #startedAtMs: number;
  readonly #startedMs: number;
  #skipped: readonly Candidate[] = nobody;
  /** Candidates all of whose keys were at their limits when their turn came. */
  #atLimits: readonly Candidate[] = nobody;
  /** The other keys of the current candidate. */
  #keys: readonly Candidate[] = nobody;
  /** Keys of upstreams that failed, for when nobody else is left. */
  #later: readonly Candidate[] = nobody;
  #otherKeys: ReturnType<typeof otherKeysAfter> = 'next';
  #next = 0;
  #closed = false;

  constructor(
    readonly deps: PlanDeps,
    readonly request: PlanFor,
    readonly choice: Choice,
    /** In the order of trying. */
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
        if (candidate.via && !candidate.via.own) attempt.aside = this.#sent(candidate.via);
        return attempt;
      }
      this.#skipped = [...this.#skipped, candidate];
    }
    return null;
  }

  #sent({ credential, base }: Via): PutAside | undefined {
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
      this.#keys = nobody;
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

  /** The first that may be used still, and those behind it: others went out with these keys since the line was made. */
  #belowLimits(keys: readonly Candidate[]): { first?: Candidate; others: readonly Candidate[] } {
    const at = keys.findIndex(({ via }) => !via || this.deps.meter.waitMs(via.credential) === 0);
    return at < 0 ? { others: nobody } : { first: keys[at]!, others: keys.slice(at + 1) };
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
    const { requestId, userId, modelId, sort, insteadOf, parentRequestId } = this.request;
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

  giveBack({ via }: Candidate, aside: PutAside): void {
    if (via) this.deps.meter.ended(via.credential, { failed: false, tokens: 0, spent: 0 }, aside);
  }

  usedMore({ via }: Candidate, usage: Usage): void {
    if (via && !via.own)
      this.deps.meter.ended(via.credential, useOf(via.base, { outcome: 'success', ...usage, usage }));
  }

  failedSince(candidate: Candidate, report: Report): void {
    const { deps, request } = this;
    deps.breaker.tryAcquire(candidate.key, request.userId)?.[report.outcome]();
    if (!candidate.via?.own) deps.metrics.record(candidate.via?.base ?? candidate, report);
    deps.onReport?.(request.requestId, candidate, report);
  }

  done(candidate: Candidate, report: Report, aside: PutAside | undefined): void {
    const { via } = candidate;
    // What a user's own key is good for says nothing of the channel.
    if (!via?.own) this.deps.metrics.record(via?.base ?? candidate, report);
    if (via && !via.own) {
      this.deps.meter.ended(via.credential, useOf(via.base, report), aside);
      if (report.cause === 'rate_limited') this.deps.meter.rest(candidate.key, report.retryAfterMs);
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
