import type { Reason } from './choose.ts';
import type { AttemptRecord, Decision } from './decision.ts';
import type { Scored } from './rank.ts';
import { averagePrice } from './score.ts';

const hundredths = (value: number): string => value.toFixed(2);

const openings: Record<Reason['how'], (decision: Decision, picked: Scored) => string> = {
  drawn: ({ choice }, { score, candidate }) =>
    `${candidate.channel.provider} drawn from the top ${choice.reason.among} by ${choice.strategy} score ` +
    `(${hundredths(score)}, chance ${Math.round(choice.reason.chance * 100)} %)`,
  only_one: (_, { candidate }) => `${candidate.channel.provider} is the only one left`,
  round_robin: ({ choice }, { candidate }) =>
    `${candidate.channel.provider} had its turn among ${choice.reason.among} (round-robin)`,
  order: (_, { candidate }) => `${candidate.channel.provider} comes first in the order the request asked for`,
  sort: ({ sort }, { candidate }) => `${candidate.channel.provider} is best by ${sort}, as the request asked for`,
  tiers: (_, { candidate }) =>
    `${candidate.channel.provider} drawn by weight from the channels of highest priority (${candidate.channel.priority})`,
};

const causeOf = (attempt: AttemptRecord): string =>
  [attempt.cause?.replaceAll('_', ' ') ?? attempt.outcome, attempt.status].filter(Boolean).join(' ');

/** One readable line: how the first was picked, who was passed over, and where the request ended. */
export function explain(decision: Decision): string {
  const { choice, attempts, skipped } = decision;
  const picked = choice.scored.find((one) => one.candidate === choice.picked)!;
  const parts = [openings[choice.reason.how](decision, picked)];
  for (const candidate of skipped) parts.push(`${candidate.channel.provider} passed over: circuit open`);
  attempts.forEach((attempt, index) => {
    const { provider } = attempt.candidate.channel;
    if (attempt.outcome !== 'success') parts.push(`${provider} did not answer (${causeOf(attempt)})`);
    else if (index > 0 || skipped.length > 0) parts.push(`${provider} answered instead`);
  });
  if (attempts.length === 0) parts.push('nobody could be called');
  return parts.join('; ');
}

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

export type Summary = ReturnType<typeof summarise>;

/** A candidate as the log keeps it; never the channel itself, which holds the credential. */
export function summarise(one: Scored, rank: number) {
  const { candidate, measured } = one;
  return {
    provider: candidate.channel.provider,
    channel_id: candidate.channel.id,
    /** Place in the order of trying, from 1; null when dropped. */
    rank: one.dropped ? null : rank,
    score: rounded(one.score),
    dropped: one.dropped,
    preferred: one.boosted,
    behind_soft_limit: one.overSoftLimit,
    circuit_state: one.circuit,
    success_rate: rounded(measured.successRate),
    latency_ms: Math.round(measured.latencyMs),
    quality_score: rounded(measured.qualityScore),
    avg_price: rounded(averagePrice(candidate)),
    samples: measured.samples,
  };
}

export const summariseAttempt = (attempt: AttemptRecord) => ({
  provider: attempt.candidate.channel.provider,
  channel_id: attempt.candidate.channel.id,
  outcome: attempt.outcome,
  cause: attempt.cause ?? null,
  status: attempt.status ?? null,
  latency_ms: Math.round(attempt.latencyMs),
  ttft_ms: attempt.ttftMs === undefined ? null : Math.round(attempt.ttftMs),
});
