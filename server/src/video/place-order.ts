import type { VideoDeps } from './deps.ts';
import { changeJob, ownersOf, type VideoJob } from './store.ts';
import { ioOf, type Upstream } from './upstream.ts';
import { type FaultKind, type Order, type Taken, UpstreamFault } from './upstreams/kind.ts';

/** After these the upstream may have the job all the same. */
const maybeTaken: ReadonlySet<FaultKind> = new Set(['timeout', 'connection', 'failure']);
/** Statuses that an upstream itself gives, and no gateway in front of it that waited in vain. */
const refusals: ReadonlySet<number> = new Set([500, 501, 503]);
/** With these an upstream says that it has no list of videos, or none that could be read. */
const noList: ReadonlySet<FaultKind> = new Set(['gone', 'caller', 'failure', 'unusable']);
/** How far an upstream's clock may be behind ours. */
const clocksDifferMs = 300_000;
/** An order is not broken off halfway, whoever leaves: it would be made, billed and known to nobody. */
const toTheEnd = new AbortController().signal;

/**
 * Orders a video once, as far as the upstream lets us: who is asked is noted before, and whoever may have taken the order
 * without our hearing of it is first looked at for it. The key that goes along is for upstreams that heed it.
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
      // Whoever was asked before may still have it.
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
