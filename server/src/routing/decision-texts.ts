import type { Candidate } from './candidate.ts';
import type { Choice } from './choose.ts';
import type { AttemptRecord, Decision } from './decision.ts';
import { explain, type Summary, summarise, summariseAttempt } from './explain.ts';
import type { Scored } from './rank.ts';

/** Keeps one row under some 15 kB however many channels serve a model. */
const maxCandidates = 50;

/** What the log says about a decision, as it is stored. */
export interface DecisionTexts {
  reason: string;
  candidates: string;
  attempts: string;
}

/** The last plain decision for a candidate, and the words found for it. */
interface Told {
  choice: Choice;
  sort: string | null;
  texts: DecisionTexts;
  /** The one attempt up to its times. */
  attempt: string;
}

/** Between two measurements of its providers, a model's requests are mostly decided alike: then only the times differ. */
const told = new WeakMap<Candidate, Told>();

export function textsOf(decision: Decision): DecisionTexts {
  const { choice, attempts, skipped } = decision;
  const first = attempts[0];
  if (attempts.length !== 1 || skipped.length > 0 || first!.outcome !== 'success') return newTexts(decision);
  let last = told.get(choice.picked);
  if (!last || last.sort !== decision.sort || !sameChoice(last.choice, choice)) {
    last = { choice, sort: decision.sort, texts: newTexts(decision), attempt: beginningOf(first!) };
    told.set(choice.picked, last);
  }
  const { reason, candidates } = last.texts;
  return { reason, candidates, attempts: last.attempt + timesOf(first!) };
}

const newTexts = (decision: Decision): DecisionTexts => ({
  reason: explain(decision),
  candidates: JSON.stringify(summariesOf(decision.choice)),
  attempts: JSON.stringify(decision.attempts.map(summariseAttempt)),
});

const times = '"latency_ms":';
/** `summariseAttempt` names the times last. */
function beginningOf(attempt: AttemptRecord): string {
  const whole = JSON.stringify([summariseAttempt(attempt)]);
  return whole.slice(0, whole.lastIndexOf(times) + times.length);
}

const timesOf = ({ latencyMs, ttftMs }: AttemptRecord): string =>
  ttftMs === undefined ? `${Math.round(latencyMs)}}]` : `${Math.round(latencyMs)},"ttft_ms":${Math.round(ttftMs)}}]`;

/** In the order of trying, the dropped ones last. */
function summariesOf({ scored, ordered }: Choice): Summary[] {
  if (scored.length === 1) return [summarise(scored[0]!, ordered.length)];
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
