import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Breaker, Permit } from './breaker.ts';
import type { Candidate } from './candidate.ts';
import type { Choice } from './choose.ts';
import type { AttemptRecord, Cause, Decision } from './decision.ts';
import type { Metrics } from './metrics.ts';
import type { Sample } from './window.ts';

/** How a call ended. `cause` and `status` are for the decision log and for the error when nobody answers. */
export interface Report extends Sample {
  cause?: Cause;
  status?: number;
}

export interface Attempt {
  readonly candidate: Candidate;
  /** Once; later reports are ignored. Moves the breaker, counts in the metrics, goes into the decision log. */
  report(report: Report): void;
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
}

class OneAttempt implements Attempt {
  #reported = false;

  constructor(
    readonly plan: RoutePlan,
    readonly candidate: Candidate,
    readonly permit: Permit,
  ) {}

  report(report: Report): void {
    if (this.#reported) return;
    this.#reported = true;
    this.permit[report.outcome]();
    this.plan.done(this.candidate, report);
  }

  /** Nobody said how it ended: the place is given back, nothing is counted. */
  abandon(): void {
    if (this.#reported) return;
    this.#reported = true;
    this.permit.neutral();
  }
}

class RoutePlan implements Plan {
  readonly #records: AttemptRecord[] = [];
  readonly #attempts: OneAttempt[] = [];
  readonly #skipped: Candidate[] = [];
  readonly #startedAtMs: number;
  readonly #startedMs: number;
  #next = 0;
  #closed = false;

  constructor(
    readonly deps: PlanDeps,
    readonly request: PlanFor,
    readonly choice: Choice,
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
    return this.choice.ordered;
  }

  next(): Attempt | null {
    while (!this.#closed && this.#next < this.choice.ordered.length) {
      const candidate = this.choice.ordered[this.#next]!;
      this.#next += 1;
      const permit = this.deps.breaker.tryAcquire(candidate.key, this.request.userId);
      if (permit) {
        const attempt = new OneAttempt(this, candidate, permit);
        this.#attempts.push(attempt);
        return attempt;
      }
      this.#skipped.push(candidate);
    }
    return null;
  }

  failure(): AppError {
    const causes = this.#records.map((record) => record.cause);
    if (causes.length === 0) {
      return new AppError(
        'no_available_provider',
        `No provider of '${this.modelId}' is available at the moment. Try again in a minute.`,
        { headers: this.#whenToRetry() },
      );
    }
    if (causes.every((cause) => cause === 'rate_limited')) {
      return new AppError(
        'capacity_exhausted',
        `Every provider of '${this.modelId}' is at its limit. Try again later.`,
      );
    }
    if (causes[causes.length - 1] === 'timeout') {
      return new AppError('timeout', `No provider of '${this.modelId}' answered in time.`);
    }
    return new AppError('provider_error', `No provider of '${this.modelId}' gave an answer.`);
  }

  /** When the first of the blocked circuits lets test requests through; one whose places are taken, in a second. */
  #whenToRetry(): Record<string, string> {
    let soonestMs = Number.POSITIVE_INFINITY;
    for (const { key } of this.#skipped) soonestMs = Math.min(soonestMs, this.deps.breaker.opensAgainInMs(key));
    const ms = Number.isFinite(soonestMs) ? Math.max(1_000, soonestMs) : 1_000;
    return { 'retry-after': `${Math.ceil(ms / 1000)}`, 'retry-after-ms': `${ms}` };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const attempt of this.#attempts) attempt.abandon();
    this.deps.log({
      ...this.request,
      choice: this.choice,
      attempts: this.#records,
      skipped: this.#skipped,
      startedAtMs: this.#startedAtMs,
      tookMs: this.deps.clock.steadyMs() - this.#startedMs,
    });
  }

  done(candidate: Candidate, report: Report): void {
    this.deps.metrics.record(candidate, report);
    this.deps.onReport?.(this.request.requestId, candidate, report);
    const { outcome, latencyMs, cause, status, ttftMs } = report;
    this.#records.push({ candidate, outcome, latencyMs, cause, status, ttftMs });
  }
}

export const openPlan = (deps: PlanDeps, request: PlanFor, choice: Choice): Plan =>
  new RoutePlan(deps, request, choice);
