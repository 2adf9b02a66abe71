import type { VideoDeps } from './deps.ts';
import { changeJob, ownersOf, type VideoJob } from './store.ts';
import { ioOf, type Upstream } from './upstream.ts';
import { type FaultKind, type Order, type Taken, UpstreamFault } from './upstreams/kind.ts';

/** After these the upstream may have accepted the job nevertheless. */
const maybeTaken: ReadonlySet<FaultKind> = new Set(['timeout', 'connection', 'failure']);
/** Statuses of the upstream itself, rather than of a gateway that timed out. */
const refusals: ReadonlySet<number> = new Set([500, 501, 503]);
/** The upstream has no list of videos, or an unreadable one. */
const noList: ReadonlySet<FaultKind> = new Set(['gone', 'caller', 'failure', 'unusable']);
/** How far an upstream's clock may lag behind ours. */
const clocksDifferMs = 300_000;
/** An order is never aborted: it would be made and billed without being known to us. */
const toTheEnd = new AbortController().signal;

/**
 * Orders a video once, as far as the upstream allows: the target is recorded beforehand, and an upstream that may have
 * accepted the order unnoticed is searched for it first. The idempotency key is for upstreams that support it.
 */
export async function placeOrder(
  deps: VideoDeps,
  job: VideoJob,
  order: Order,
  upstream: Upstream & { channelId: number },
  signal: AbortSignal,
): Promise<Taken> {
  const { kind, target, channelId } = upstream;
  const look = () => lookFor(deps, job, order, upstream, signal);
  if (job.asked_channel_id === channelId) {
    const found = await look();
    if (found) return found;
  }
  const note = (asked_channel_id: number) => changeJob(deps.db, job.id, { asked_channel_id });
  await note(channelId);
  try {
    return await kind.submit(order, target, ioOf(deps, toTheEnd));
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    if (!maybeTaken.has(error.kind) || refusals.has(error.status ?? 0)) {
      // A previously asked upstream may still have it.
      await note(job.asked_channel_id);
      throw error;
    }
    job.asked_channel_id = channelId;
    const found = await look().catch(() => null);
    if (found) return found;
    throw error;
  }
}

async function lookFor(
  deps: VideoDeps,
  job: VideoJob,
  order: Order,
  { kind, target, channelId }: Upstream & { channelId: number },
  signal: AbortSignal,
): Promise<Taken | null> {
  try {
    const found = (await kind.find?.(order, job.created_at_ms - clocksDifferMs, target, ioOf(deps, signal))) ?? [];
    if (found.length === 0) return null;
    const owned = await ownersOf(
      deps.db,
      channelId,
      found.map(({ upstreamId }) => upstreamId),
    );
    return found.find(({ upstreamId }) => !owned.some((one) => one.upstream_id === upstreamId)) ?? null;
  } catch (error) {
    if (error instanceof UpstreamFault && noList.has(error.kind)) return null;
    throw error;
  }
}
