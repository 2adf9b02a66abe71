import type { Candidate, Channel } from '../routing/candidate.ts';
import { builtInChannel } from '../routing/catalog/snapshot.ts';
import { findChannel } from '../routing/catalog/store/channels.ts';
import type { VideoDeps } from './deps.ts';
import type { VideoRequest } from './request.ts';
import type { VideoJob } from './store.ts';
import { upstreamKinds } from './upstreams/index.ts';
import type { Io, Order, Submission, Target, UpstreamKind } from './upstreams/kind.ts';

/** Cancelling is best effort: nobody waits long for it. */
const cancelMs = 10_000;

export interface Upstream {
  kind: UpstreamKind;
  target: Target;
}

const upstreamAt = (channel: Channel, modelName: string): Upstream | null => {
  const kind = upstreamKinds[channel.kind];
  const { baseUrl, credential, timeoutMs } = channel;
  return kind ? { kind, target: { baseUrl, credential, modelName, timeoutMs } } : null;
};

export const upstreamOf = (candidate: Candidate): Upstream => upstreamAt(candidate.channel, candidate.modelName)!;

/** Where a submitted job is being made: a channel disabled meanwhile still finishes it. Null if the channel is gone. */
export async function upstreamOfJob({ db, sealer }: VideoDeps, job: VideoJob): Promise<Upstream | null> {
  if (job.channel_id === builtInChannel.id) return upstreamAt(builtInChannel, job.model_name);
  const channel = await findChannel(db, job.channel_id);
  if (!channel) return null;
  const credential = channel.sealedCredential === '' ? '' : sealer.open(channel.sealedCredential);
  return upstreamAt({ ...channel, credential }, job.model_name);
}

export const requestOf = (job: VideoJob): VideoRequest => ({ ...JSON.parse(job.request), ...JSON.parse(job.inputs) });

export const orderOf = (job: VideoJob, seconds = job.seconds): Order => ({
  jobId: job.id,
  request: requestOf(job),
  seconds,
});

export const submissionOf = (job: VideoJob): Submission => ({
  upstreamId: job.upstream_id,
  pollUrl: job.poll_url,
  submittedAtMs: job.submitted_at_ms,
});

export const ioOf = ({ clock, config }: VideoDeps, signal: AbortSignal): Io => ({
  nowMs: () => clock.nowMs(),
  signal,
  allowPrivate: config.allowPrivateAddresses,
});

/** Cancels the job at the upstream. Best effort: the result is ignored. */
export async function cancelUpstream(deps: VideoDeps, upstream: Upstream, submission: Submission): Promise<void> {
  if (submission.upstreamId === '') return;
  try {
    await upstream.kind.cancel(submission, upstream.target, ioOf(deps, AbortSignal.timeout(cancelMs)));
  } catch (error) {
    deps.log.warn({ upstreamId: submission.upstreamId, error }, 'could not cancel a video upstream');
  }
}
