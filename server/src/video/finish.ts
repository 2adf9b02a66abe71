import { callbackQueue, type VideoDeps } from './deps.ts';
import { hasEnded, type JobStatus } from './status.ts';
import { changeJob, closings, moveJob, type VideoJob } from './store.ts';

export type Ending =
  | { status: 'completed'; results: string[] }
  | { status: 'failed'; error: string }
  | { status: 'cancelled' | 'expired' };

/** Ends a job, once: null if it had ended before. What follows is done here, or by the next worker. */
export async function finishJob(deps: VideoDeps, job: VideoJob, ending: Ending): Promise<VideoJob | null> {
  const now = deps.clock.nowMs();
  const ended = await moveJob(deps.db, job.id, ending.status, {
    finished_at_ms: now,
    touched_at_ms: now,
    // Input images may be large, and are no longer needed.
    inputs: noInputs,
    ...(ending.status === 'completed' && { results: JSON.stringify(ending.results), progress: 100 }),
    ...(ending.status === 'failed' && { error: ending.error }),
  });
  if (ended) await closeJob(deps, ended);
  return ended;
}

const noInputs = JSON.stringify({ frame_images: [], input_references: [] });

/**
 * Charges a completed job, releases the hold of any other, and queues the callback. Each step is idempotent, since a
 * crash in between leads here again.
 */
export async function closeJob(deps: VideoDeps, job: VideoJob): Promise<void> {
  if (!hasEnded(job.status)) return;
  if (job.closed === closings.open) {
    await settleJob(deps, job);
    await changeJob(deps.db, job.id, { closed: closings.settled });
  }
  if (job.closed === closings.done) return;
  if (job.callback_url !== '') await enqueueCallback(deps, job.id, job.status);
  await changeJob(deps.db, job.id, { closed: closings.done });
}

async function settleJob(deps: VideoDeps, job: VideoJob): Promise<void> {
  const hold = await deps.billing.findHold(job.id);
  if (hold && job.status === 'completed') {
    await deps.billing.settle(hold, {
      cost: job.cost,
      usage: { promptTokens: 0, completionTokens: 0, units: job.seconds },
      endpoint: '/v1/videos',
      provider: job.provider,
      channelId: job.channel_id,
      durationMs: job.finished_at_ms - job.created_at_ms,
    });
  } else if (hold) {
    await deps.billing.release(hold);
  }
}

async function enqueueCallback({ jobs }: VideoDeps, id: string, status: JobStatus): Promise<void> {
  // The handler counts attempts itself; these only cover processes that die while calling.
  await jobs.enqueue(callbackQueue, { id }, { key: `${id}-${status}`, maxAttempts: 1_000, backoffMs: 5_000 });
}
