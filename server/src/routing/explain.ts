import type { Candidate } from './candidate.ts';
import type { How } from './choose.ts';
import type { AttemptRecord, Decision } from './decision.ts';
import type { Scored } from './rank.ts';
import { averagePrice } from './score.ts';

const hundredths = (value: number): string => value.toFixed(2);

const openings: Record<How, (decision: Decision, picked: Scored) => string> = {
  drawn: ({ choice }, { score, candidate }) =>
    `${candidate.channel.provider} drawn from the top ${choice.reason.among} by ${choice.strategy} score ` +
    `(${hundredths(score)}, chance ${Math.round(choice.reason.chance * 100)} %)`,
  only_one: (_, { candidate }) => `${candidate.channel.provider} is the only provider left`,
  round_robin: ({ choice }, { candidate }) =>
    `${candidate.channel.provider} is next of ${choice.reason.among} in turn (round-robin)`,
  order: (_, { candidate }) => `${candidate.channel.provider} is first in the order set by the request`,
  order_available: (_, { candidate }) =>
    `${candidate.channel.provider} is the first one available in the order set by the request`,
  not_in_order: (_, { candidate }) =>
    `${candidate.channel.provider} is the best of the others, as none in the order set by the request is available`,
  sort: ({ sort }, { candidate }) => `${candidate.channel.provider} is best by ${sort}, as set by the request`,
  sort_available: ({ sort }, { candidate }) =>
    `${candidate.channel.provider} is the best one available by ${sort}, as set by the request`,
  tiers: (_, { candidate }) =>
    `${candidate.channel.provider} drawn by weight from the channels with the highest priority (${candidate.channel.priority})`,
  tiers_available: (_, { candidate }) =>
    `${candidate.channel.provider} drawn by weight from the available channels with the highest priority (${candidate.channel.priority})`,
  probe: (_, { candidate }) => `${candidate.channel.provider} was tried first to check whether it has recovered`,
  own_key: (_, { candidate }) => `${candidate.channel.provider} is tried first with the user's own key`,
  affinity: (_, { candidate }) => `${candidate.channel.provider} answered this conversation before and has it cached`,
};

const causeOf = (attempt: AttemptRecord): string =>
  [attempt.cause?.replaceAll('_', ' ') ?? attempt.outcome, attempt.status].filter(Boolean).join(' ');

/** One readable line: how the first candidate was picked, which were skipped, and where the request ended. */
export function explain(decision: Decision): string {
  const { choice, attempts, skipped } = decision;
  const picked = choice.scored.find((one) => one.candidate === choice.picked)!;
  const parts = [openings[choice.reason.how](decision, picked)];
  for (const candidate of skipped) parts.push(`${candidate.channel.provider} skipped: circuit open`);
  attempts.forEach((attempt, index) => {
    const { provider } = attempt.candidate.channel;
    if (attempt.outcome !== 'success') parts.push(`${provider} did not answer (${causeOf(attempt)})`);
    else if (index > 0 || skipped.length > 0) parts.push(`${provider} answered instead`);
  });
  if (attempts.length === 0) parts.push('no provider could be called');
  if (decision.insteadOf !== undefined)
    parts.push(`used as fallback for '${decision.insteadOf}', which did not answer`);
  return parts.join('; ');
}

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

export type Summary = ReturnType<typeof summarise>;

/** Defaults are not stored, which saves nearly a third of the log; reading adds them back. */
const usualCandidate = {
  rank: null,
  dropped: null,
  preferred: false,
  behind_soft_limit: false,
  circuit_state: 'closed',
};
const usualAttempt = { cause: null, status: null, ttft_ms: null };
interface LoggedAttempts {
  attempts: string;
  provider: string | null;
  channel_id: number | null;
  outcome: string;
}
const unlessClosed = (circuit: Scored['circuit']) => (circuit === 'closed' ? undefined : circuit);

export const readSummaries = (text: string): object[] =>
  (JSON.parse(text || '[]') as object[]).map((one) => ({ ...usualCandidate, ...one }));
/** Fields missing in an attempt have the value of the entry itself, or the default. */
export const readAttempts = ({ attempts, provider, channel_id, outcome }: LoggedAttempts): object[] =>
  (JSON.parse(attempts) as object[]).map((one) => ({ provider, channel_id, outcome, ...usualAttempt, ...one }));

/** A candidate as the log stores it; never the channel itself, which has the credential. */
export function summarise(one: Scored, rank: number) {
  const { candidate, measured } = one;
  return {
    provider: candidate.channel.provider,
    channel_id: candidate.channel.id,
    /** Position in the order of attempts, from 1; undefined if dropped. */
    rank: one.dropped ? undefined : rank,
    score: rounded(one.score),
    dropped: one.dropped ?? undefined,
    preferred: one.boosted || undefined,
    behind_soft_limit: one.overSoftLimit || undefined,
    circuit_state: unlessClosed(one.circuit),
    success_rate: rounded(measured.successRate),
    latency_ms: Math.round(measured.latencyMs),
    quality_score: rounded(measured.qualityScore),
    avg_price: rounded(averagePrice(candidate)),
    samples: measured.samples,
  };
}

/** Only if there are several keys; a single one is identified by its channel. */
function keyOf({ via }: Candidate): { credential_id?: number; own_key?: true } {
  if (!via) return {};
  return via.own ? { own_key: true } : { credential_id: via.credential.id };
}

export const summariseAttempt = (attempt: AttemptRecord) => ({
  provider: attempt.candidate.channel.provider,
  channel_id: attempt.candidate.channel.id,
  ...keyOf(attempt.candidate),
  outcome: attempt.outcome,
  cause: attempt.cause,
  status: attempt.status,
  latency_ms: Math.round(attempt.latencyMs),
  ttft_ms: attempt.ttftMs === undefined ? undefined : Math.round(attempt.ttftMs),
});
