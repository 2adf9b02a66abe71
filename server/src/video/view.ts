import { quotaToUsd } from '../lib/money.ts';
import { hasEnded, type JobStatus } from './status.ts';
import { closings, type VideoJob } from './store.ts';

type Shown = Pick<VideoJob, 'id' | 'generation_id' | 'status' | 'closed' | 'error' | 'results' | 'cost'>;

/** An end is visible once it is settled: a client that reads `failed` finds its balance restored. */
export const shownStatus = ({ status, closed }: Pick<VideoJob, 'status' | 'closed'>): JobStatus =>
  hasEnded(status) && closed === closings.open ? 'in_progress' : status;

export const urlsOf = (job: Pick<VideoJob, 'id' | 'results' | 'cost'>, baseUrl: string) => ({
  unsigned_urls: (JSON.parse(job.results) as string[]).map(
    (_, index) => `${baseUrl}/v1/videos/${job.id}/content?index=${index}`,
  ),
  usage: { cost: quotaToUsd(job.cost) },
});

/** `unsigned_urls` and `usage` only if completed, `error` only if failed. */
function outcomeOf(job: Shown, baseUrl: string) {
  const status = shownStatus(job);
  return {
    ...(status === 'failed' && { error: job.error }),
    ...(status === 'completed' && urlsOf(job, baseUrl)),
  };
}

export const jobView = (job: Shown, baseUrl: string) => ({
  id: job.id,
  generation_id: job.generation_id,
  polling_url: `/v1/videos/${job.id}`,
  status: shownStatus(job),
  ...outcomeOf(job, baseUrl),
});

export type Listed = Shown &
  Pick<
    VideoJob,
    'model_id' | 'request' | 'seconds' | 'progress' | 'created_at_ms' | 'finished_at_ms' | 'expires_at_ms'
  >;

export const seconds = (ms: number): number => Math.floor(ms / 1000);

/** A list item: a job and what a page shows beside it. */
export const listedView = (job: Listed, baseUrl: string) => ({
  ...jobView(job, baseUrl),
  model: job.model_id,
  prompt: (JSON.parse(job.request) as { prompt: string }).prompt,
  duration: job.seconds,
  progress: job.progress,
  created_at: seconds(job.created_at_ms),
  finished_at: job.finished_at_ms === 0 ? null : seconds(job.finished_at_ms),
  expires_at: seconds(job.expires_at_ms),
});

/** Body of a callback; identical for every attempt, so that receivers can compare. */
export const callbackBody = (job: VideoJob, baseUrl: string) => ({
  type: `video.generation.${job.status}`,
  created_at: seconds(job.finished_at_ms),
  data: {
    id: job.id,
    generation_id: job.generation_id,
    status: job.status,
    model: job.model_id,
    ...outcomeOf(job, baseUrl),
  },
});
