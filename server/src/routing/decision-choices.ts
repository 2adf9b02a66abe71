import type { Candidate } from './candidate.ts';
import type { Choice } from './choose.ts';
import type { AttemptRecord, Decision } from './decision.ts';
import { explain, type Summary, summarise, summariseAttempt } from './explain.ts';
import type { Scored } from './rank.ts';
import type { NewChoice } from './store/decisions.ts';

/** Bounds a row to about 15 kB however many channels serve a model. */
const maxCandidates = 50;

/** A choice as stored, shared by all requests that were decided the same way. */
export interface LoggedChoice {
  readonly choice: Choice;
  readonly sort: string | null;
  readonly texts: NewChoice;
  /** Set once it is written. */
  id?: number;
}

/** How long a choice is reused, so that it can be swept after the last decision that refers to it. */
export const choiceSeconds = 3_600;

/**
 * Between two measurements most requests for a model are decided the same way. If the picked candidate also answered,
 * the shared choice is all there is to store.
 */
export class LoggedChoices {
  /** The last choice per picked candidate. */
  readonly #last = new WeakMap<Candidate, LoggedChoice>();

  /** Null for a decision that needs its own text. */
  of(decision: Decision, nowSeconds: number): LoggedChoice | null {
    const { choice, attempts, skipped, sort } = decision;
    if (decision.insteadOf !== undefined) return null;
    if (attempts.length !== 1 || skipped.length > 0 || attempts[0]!.outcome !== 'success') return null;
    const last = this.#last.get(choice.picked);
    if (last?.sort === sort && last.texts.created_at > nowSeconds - choiceSeconds && sameChoice(last.choice, choice))
      return last;
    const made = { choice, sort, texts: textsOf(decision, nowSeconds) };
    this.#last.set(choice.picked, made);
    return made;
  }
}

export const textsOf = (decision: Decision, nowSeconds: number): NewChoice => ({
  strategy: decision.choice.strategy,
  reason: explain(decision),
  candidates: JSON.stringify(summariesOf(decision.choice)),
  created_at: nowSeconds,
});

export const attemptsOf = (attempts: readonly AttemptRecord[]): string =>
  JSON.stringify(attempts.map(summariseAttempt));

/** A single successful attempt: its provider and channel are columns of the row already. */
export function onlyAttemptOf({ candidate, latencyMs, ttftMs }: AttemptRecord): string {
  const latency = `[{"latency_ms":${Math.round(latencyMs)}${keyOf(candidate)}`;
  return ttftMs === undefined ? `${latency}}]` : `${latency},"ttft_ms":${Math.round(ttftMs)}}]`;
}

/** Only if there are several keys; a single one is identified by its channel. */
function keyOf({ via }: Candidate): string {
  if (!via) return '';
  return via.own ? ',"own_key":true' : `,"credential_id":${via.credential.id}`;
}

/** In the order they are tried, dropped ones last. */
function summariesOf({ scored, ordered }: Choice): Summary[] {
  const ranks = new Map(ordered.map((candidate, index) => [candidate, index + 1]));
  const summaries = scored.map((one) => summarise(one, ranks.get(one.candidate) ?? ordered.length + 1));
  summaries.sort((a, b) => (a.rank ?? Number.MAX_SAFE_INTEGER) - (b.rank ?? Number.MAX_SAFE_INTEGER));
  return summaries.slice(0, maxCandidates);
}

function sameChoice(a: Choice, b: Choice): boolean {
  if (a.strategy !== b.strategy || a.reason.how !== b.reason.how) return false;
  if (a.reason.chance !== b.reason.chance || a.reason.among !== b.reason.among) return false;
  if (a.ordered.length !== b.ordered.length || a.scored.length !== b.scored.length) return false;
  for (let i = 0; i < a.ordered.length; i += 1) if (a.ordered[i] !== b.ordered[i]) return false;
  for (let i = 0; i < a.scored.length; i += 1) if (!sameScored(a.scored[i]!, b.scored[i]!)) return false;
  return true;
}

const sameScored = (a: Scored, b: Scored): boolean =>
  a.candidate === b.candidate &&
  a.score === b.score &&
  a.circuit === b.circuit &&
  a.boosted === b.boosted &&
  a.overSoftLimit === b.overSoftLimit &&
  a.dropped === b.dropped &&
  (a.measured === b.measured || sameMeasured(a.measured, b.measured));

const sameMeasured = (a: Scored['measured'], b: Scored['measured']): boolean =>
  a.samples === b.samples &&
  a.successRate === b.successRate &&
  a.latencyMs === b.latencyMs &&
  a.qualityScore === b.qualityScore;
