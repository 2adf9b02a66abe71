import type { VideoDeps } from './deps.ts';
import { closeJob, finishJob } from './finish.ts';
import { followJob } from './follow.ts';
import { hasEnded } from './status.ts';
import { findJob, findOwnJob, type VideoJob } from './store.ts';
import { submitJob } from './submit.ts';
import { cancelUpstream, submissionOf, upstreamOfJob } from './upstream.ts';

const unexpectedWaitMs = 15_000;

/** One step of a job, from its row's state; it may be repeated after a crash. */
export async function advanceJob(deps: VideoDeps, id: string, signal: AbortSignal) {
  const job = await findJob(deps.db, id);
  if (!job || job.held === 0) return;
  if (hasEnded(job.status)) return closeJob(deps, job);
  const leftMs = job.expires_at_ms - deps.clock.nowMs();
  if (leftMs <= 0) {
    if (await finishJob(deps, job, { status: 'expired' })) await abandonUpstream(deps, job);
    return;
  }
  const next = await stepOf(deps, job, signal);
  return next && { againInMs: Math.min(next.againInMs, leftMs) };
}

/** The queue's own backoff would exceed the job's deadline, and let it expire late. */
async function stepOf(deps: VideoDeps, job: VideoJob, signal: AbortSignal) {
  try {
    return await (job.upstream_id === '' ? submitJob(deps, job, signal) : followJob(deps, job, signal));
  } catch (error) {
    signal.throwIfAborted();
    deps.log.error({ job: job.id, error }, 'could not advance a video job');
    return { againInMs: unexpectedWaitMs };
  }
}

/** Cancels a job. Null if it does not exist. A finished job stays unchanged. */
export async function cancelJob(deps: VideoDeps, id: string, userId: number): Promise<VideoJob | null> {
  const job = await findOwnJob(deps.db, id, userId);
  if (!job) return null;
  const cancelled = await finishJob(deps, job, { status: 'cancelled' });
  // Not awaited: the answer does not depend on it.
  if (cancelled) void abandonUpstream(deps, cancelled);
  const ended = await findOwnJob(deps.db, id, userId);
  // It may still be settling in another process; the caller is told the end, so it is settled first.
  if (ended) await closeJob(deps, ended);
  return findOwnJob(deps.db, id, userId);
}

async function abandonUpstream(deps: VideoDeps, job: VideoJob): Promise<void> {
  try {
    const upstream = await upstreamOfJob(deps, job);
    if (upstream) await cancelUpstream(deps, upstream, submissionOf(job));
  } catch (error) {
    deps.log.warn({ job: job.id, error }, 'could not cancel a video upstream');
  }
}
