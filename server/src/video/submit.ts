import { AppError } from '../lib/errors.ts';
import { repeat } from '../platform/durable/repeat.ts';
import type { Candidate } from '../routing/candidate.ts';
import type { Cause } from '../routing/decision.ts';
import { parseOverride } from '../routing/override.ts';
import type { Attempt, Plan } from '../routing/plan.ts';
import { canMake, priceOf, secondsOf } from './candidates.ts';
import type { VideoDeps } from './deps.ts';
import { finishJob } from './finish.ts';
import { placeOrder } from './place-order.ts';
import { changeJob, recordSubmission, type VideoJob } from './store.ts';
import { cancelUpstream, orderOf, requestOf, upstreamOf } from './upstream.ts';
import { type FaultKind, UpstreamFault } from './upstreams/kind.ts';

/** How often all providers are tried before the job fails: about five minutes with the delays. */
const maxRounds = 9;
const roundWaitMs = (rounds: number): number => Math.min(1_000 * 2 ** rounds, 60_000);
/** From here on the delay no longer grows. */
const slowRounds = 6;
/** Other providers, or another of the same one's jobs, may make room earlier than one says. */
const longestBusyMs = 5 * 60_000;
const firstPollMs = 500;
/** Longer than the downtime of a maintained database. */
const recordMs = 10 * 60_000;

const causes: Record<FaultKind, Cause> = {
  caller: 'refused',
  gone: 'server_error',
  busy: 'rate_limited',
  auth: 'unauthorized',
  timeout: 'timeout',
  connection: 'connection',
  shortage: 'shortage',
  unusable: 'server_error',
  failure: 'server_error',
};

/** Errors that say nothing about the upstream's health. */
const notTheirs: ReadonlySet<FaultKind> = new Set(['caller', 'busy', 'shortage']);

/** Finds an upstream for the job: one that may have it already is asked first. */
export async function submitJob(deps: VideoDeps, job: VideoJob, signal: AbortSignal) {
  const request = requestOf(job);
  let plan: Plan;
  try {
    // An accepted job is paid for and made; a waiting one is only started while its caller is permitted.
    const keyId = job.key_id === 0 ? null : job.key_id;
    await deps.permit({ userId: job.user_id, keyId });
    const reach = keyId === null ? null : await deps.reachOf?.(keyId);
    plan = await deps.routing.plan({
      requestId: job.id,
      userId: job.user_id,
      group: job.group_name,
      modelId: job.model_id,
      type: 'video',
      override: job.override === '' ? null : parseOverride(JSON.parse(job.override)),
      fits: (candidate) => canMake(candidate, request) && (reach?.mayUse(candidate.channel.provider) ?? true),
      ...(job.asked_channel_id > 0 && { suits: ({ channel }: Candidate) => channel.id === job.asked_channel_id }),
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    await finishJob(deps, job, { status: 'failed', error: error.message });
    return;
  }
  try {
    let freeInMs: number | undefined;
    const isBusy = ({ retryAfterMs }: UpstreamFault) => {
      freeInMs = Math.min(freeInMs ?? longestBusyMs, retryAfterMs);
    };
    for (let attempt = plan.next(); attempt; attempt = plan.next()) {
      const outcome = await tryOne(deps, job, attempt, signal, isBusy);
      if (outcome === 'next') continue;
      return outcome === 'again' ? { againInMs: firstPollMs } : undefined;
    }
    const error = plan.failure();
    return error.code === 'capacity_exhausted'
      ? await waitForRoom(deps, job, freeInMs)
      : await waitOrFail(deps, job, error);
  } finally {
    plan.close();
  }
}

/**
 * Providers limit how many videos are made at once, for minutes: a job that is only too early stays pending until it
 * expires.
 */
async function waitForRoom(deps: VideoDeps, job: VideoJob, freeInMs = 0) {
  const rounds = Math.max(job.rounds, Math.min(job.rounds + 1, slowRounds));
  await changeJob(deps.db, job.id, { rounds, touched_at_ms: deps.clock.nowMs() });
  return { againInMs: Math.max(roundWaitMs(job.rounds), freeInMs) };
}

async function waitOrFail(deps: VideoDeps, job: VideoJob, { message }: AppError) {
  const rounds = job.rounds + 1;
  if (rounds >= maxRounds) {
    await finishJob(deps, job, { status: 'failed', error: message });
    return;
  }
  await changeJob(deps.db, job.id, { rounds, touched_at_ms: deps.clock.nowMs() });
  return { againInMs: roundWaitMs(job.rounds) };
}

async function tryOne(
  deps: VideoDeps,
  job: VideoJob,
  attempt: Attempt,
  signal: AbortSignal,
  isBusy: (fault: UpstreamFault) => void,
): Promise<'again' | 'next' | 'over'> {
  const { candidate } = attempt;
  const { channel } = candidate;
  const upstream = upstreamOf(candidate);
  const seconds = secondsOf(requestOf(job), candidate);
  const startedMs = deps.clock.steadyMs();
  const sample = { promptTokens: 0, completionTokens: 0, wellFormed: true, nonEmpty: true };
  try {
    const asked = { ...upstream, channelId: channel.id };
    const taken = await placeOrder(deps, job, orderOf(job, seconds), asked, signal);
    const submittedAtMs = deps.clock.nowMs();
    const usage = { promptTokens: 0, completionTokens: 0, units: seconds };
    attempt.report({ ...sample, usage, outcome: 'success', latencyMs: deps.clock.steadyMs() - startedMs });
    // The hold was the caller's maximum; prices may have changed since, and other candidates have come.
    const held = (await repeat(() => deps.billing.findHold(job.id), { patienceMs: recordMs }))?.amount ?? 0;
    const submission = {
      upstream_id: taken.upstreamId,
      poll_url: taken.pollUrl,
      submitted_at_ms: submittedAtMs,
      touched_at_ms: submittedAtMs,
      provider: channel.provider,
      channel_id: channel.id,
      model_name: candidate.modelName,
      seconds,
      cost: Math.min(held, priceOf(candidate.price, seconds)),
    };
    // It is being made and will be billed: retry while the database is unavailable.
    const outcome = await repeat(() => recordSubmission(deps.db, job.id, submission), { patienceMs: recordMs });
    if (outcome !== 'over') return 'again';
    // Cancelled or expired while the upstream was being asked.
    await cancelUpstream(deps, upstream, { ...taken, submittedAtMs });
    return 'over';
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    const latencyMs = deps.clock.steadyMs() - startedMs;
    const outcome = notTheirs.has(error.kind) ? 'neutral' : 'failure';
    attempt.report({
      ...{ ...sample, wellFormed: false, nonEmpty: false, outcome, latencyMs, cause: causes[error.kind] },
      ...(error.status !== undefined && { status: error.status }),
    });
    const about = { job: job.id, provider: channel.provider, channel: channel.id, status: error.status };
    deps.log.warn({ ...about, reason: error.message }, 'an upstream did not accept a video job');
    if (error.kind === 'busy') isBusy(error);
    if (error.kind !== 'caller') return 'next';
    await finishJob(deps, job, { status: 'failed', error: error.message });
    return 'over';
  }
}
