import type { VideoDeps } from './deps.ts';
import { finishJob } from './finish.ts';
import { limitBytes } from './limit-bytes.ts';
import { changeJob, findJob, moveJob, type VideoJob } from './store.ts';
import { ioOf, orderOf, submissionOf, type Upstream, upstreamOfJob } from './upstream.ts';
import { type Content, type Progress, UpstreamFault } from './upstreams/kind.ts';

/** From half a second to fifteen seconds, so that minutes cost a few dozen polls. */
const pollMs = (polls: number): number => Math.min(500 * 1.5 ** polls, 15_000);
/** An upstream may need a moment to know its job; after this many misses it has lost it. */
const maxMisses = 5;
const maxPolls = 1_000_000;
/** Twice a minute in the best quality; more would only fill the disk. */
const mostVideoBytes = 2 * 1024 ** 3;

/** Polls the upstream, and downloads the video when it is ready. */
export async function followJob(deps: VideoDeps, job: VideoJob, signal: AbortSignal) {
  const upstream = await upstreamOfJob(deps, job);
  if (!upstream) {
    await finishJob(deps, job, {
      status: 'failed',
      error: 'The provider that was generating this video has been removed.',
    });
    return;
  }
  try {
    const progress = await upstream.kind.poll(submissionOf(job), upstream.target, ioOf(deps, signal));
    return await react(deps, job, upstream, progress, signal);
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    return onFault(deps, job, error);
  }
}

async function react(deps: VideoDeps, job: VideoJob, upstream: Upstream, progress: Progress, signal: AbortSignal) {
  if (progress.status === 'failed') {
    await finishJob(deps, job, {
      status: 'failed',
      error: progress.error ?? 'The provider could not generate the video.',
    });
    return;
  }
  const noted = {
    touched_at_ms: deps.clock.nowMs(),
    polls: Math.min(job.polls + 1, maxPolls),
    misses: 0,
    progress: Math.max(job.progress, percentOf(progress)),
  };
  if (progress.status === 'pending') {
    await changeJob(deps.db, job.id, noted);
    return { againInMs: pollMs(job.polls) };
  }
  // A finished video stays in progress until it is stored here. Null: cancelled meanwhile.
  const moved = await moveJob(deps.db, job.id, 'in_progress', noted);
  if (!moved) return;
  if (progress.status === 'in_progress') return { againInMs: pollMs(job.polls) };
  await collect(deps, moved, upstream, progress, signal);
}

const percentOf = ({ percent }: Progress): number =>
  percent !== undefined && percent >= 0 ? Math.min(99, Math.floor(percent)) : 0;

/** Downloads the results; they are complete in the blob store before the job is reported as done. */
async function collect(deps: VideoDeps, job: VideoJob, upstream: Upstream, progress: Progress, signal: AbortSignal) {
  const { kind, target } = upstream;
  const results: string[] = [];
  for (let index = 0; index < kind.count(progress); index += 1) {
    const content = await kind.fetch(index, orderOf(job), submissionOf(job), progress, target, ioOf(deps, signal));
    const key = `videos/${job.id}/${index}`;
    const { size } = await store(deps, key, content, signal);
    if (size === 0) throw new UpstreamFault('failure', 'the upstream returned an empty file');
    results.push(key);
  }
  if (await finishJob(deps, job, { status: 'completed', results })) return;
  // Cancelled, or expired. If another process was first, they are its results too, under the same names.
  if ((await findJob(deps.db, job.id))?.status === 'completed') return;
  await Promise.all(results.map((key) => deps.blobs.delete(key)));
}

async function store({ blobs }: VideoDeps, key: string, { type, bytes }: Content, signal: AbortSignal) {
  const limited = limitBytes(bytes, mostVideoBytes);
  try {
    return await blobs.put(key, limited.bytes, type);
  } catch (error) {
    signal.throwIfAborted();
    if (limited.exceeded()) throw new UpstreamFault('unusable', `the video is larger than ${mostVideoBytes} bytes`);
    // Read and write errors cannot be told apart here; both are worth a retry.
    throw new UpstreamFault('connection', String(error));
  }
}

/**
 * The job itself may be fine: it is polled again until its deadline, unless the upstream keeps saying that it does not
 * exist.
 */
async function onFault(deps: VideoDeps, job: VideoJob, fault: UpstreamFault) {
  const missed = fault.kind === 'gone' || fault.kind === 'caller';
  const misses = missed ? job.misses + 1 : job.misses;
  deps.log.warn(
    { job: job.id, provider: job.provider, status: fault.status, reason: fault.message },
    'could not check the progress of a video',
  );
  if (fault.kind === 'unusable') {
    await finishJob(deps, job, {
      status: 'failed',
      error: 'The video was generated but could not be downloaded from the provider.',
    });
    return;
  }
  if (misses >= maxMisses) {
    await finishJob(deps, job, { status: 'failed', error: 'The provider no longer has a record of this video.' });
    return;
  }
  await changeJob(deps.db, job.id, { misses, polls: job.polls + 1, touched_at_ms: deps.clock.nowMs() });
  return { againInMs: Math.max(pollMs(job.polls), Math.min(fault.retryAfterMs, 60_000)) };
}
