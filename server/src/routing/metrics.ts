import type { Clock } from '../lib/clock.ts';
import { randomString } from '../lib/ids.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Candidate } from './candidate.ts';
import { type Measured, unmeasured } from './score.ts';
import {
  type CandidateId,
  loadShares,
  loadTotals,
  type MetricsNews,
  saveMetrics,
  sweepShares,
  type Totals,
} from './store/metrics.ts';
import { type HourStats, mergeShares, openWindow, type Sample, type Share, type Window } from './window.ts';

/** A candidate as last aggregated. */
export interface Snapshot extends Measured {
  totalRequests: number;
  promptTokens: number;
  completionTokens: number;
  hour: HourStats;
}

export interface Metrics {
  /** Cheap enough for every request: counts go up in memory, nothing is written. */
  record(candidate: Candidate, sample: Sample): void;
  /** From the last aggregation; the defaults of the contract before the first. */
  measured(candidate: Candidate): Measured;
  snapshot(key: string): Snapshot | null;
  /**
   * Adds this process's counts to the totals, stores its last hour under its own name, reads those of the others, and
   * makes the new snapshots of them all. When the database is away, snapshots come from this process alone and what
   * was to be written waits for the next cycle.
   */
  aggregate(): Promise<void>;
}

export interface MetricsDeps {
  db: Db;
  clock: Clock;
  onError?: (error: unknown) => void;
}

const hourSeconds = 3600;
/** A catalog never has this many; a bound all the same, since each window takes some kilobytes. */
const maxWindows = 5000;

interface Entry {
  id: CandidateId;
  window: Window;
  /** Not yet in the database. */
  pending: Totals;
  touched: boolean;
}

const nothing = (): Totals => ({ totalRequests: 0, promptTokens: 0, completionTokens: 0, qualityScore: 1 });

/** Counts of this process for one cycle, taken out so that requests meanwhile count towards the next. */
function takeNews(entries: Iterable<Entry>, nowMs: number): { entry: Entry; news: MetricsNews }[] {
  const taken = [];
  for (const entry of entries) {
    entry.window.endCycle();
    if (!entry.touched) continue;
    const added = { ...entry.pending, qualityScore: entry.window.quality };
    taken.push({ entry, news: { ...entry.id, added, share: entry.window.share(nowMs) } });
    entry.pending = nothing();
    entry.touched = false;
  }
  return taken;
}

function giveBack(taken: { entry: Entry; news: MetricsNews }[]): void {
  for (const { entry, news } of taken) {
    entry.pending.totalRequests += news.added.totalRequests;
    entry.pending.promptTokens += news.added.promptTokens;
    entry.pending.completionTokens += news.added.completionTokens;
    entry.touched = true;
  }
}

function snapshotOf(shares: readonly Share[], totals: Totals | undefined, nowMs: number): Snapshot {
  const hour = mergeShares(shares, nowMs);
  return {
    samples: hour.samples,
    successRate: hour.successRate ?? unmeasured.successRate,
    latencyMs: hour.avgLatencyMs ?? unmeasured.latencyMs,
    qualityScore: hour.quality ?? totals?.qualityScore ?? 1,
    throughput: hour.throughput,
    totalRequests: totals?.totalRequests ?? 0,
    promptTokens: totals?.promptTokens ?? 0,
    completionTokens: totals?.completionTokens ?? 0,
    hour,
  };
}

/** Loads what was measured before, so that a restart does not forget the last hour. */
export async function openMetrics({ db, clock, onError }: MetricsDeps): Promise<Metrics> {
  const process = randomString(12);
  const entries = new Map<string, Entry>();
  let snapshots = new Map<string, Snapshot>();
  let totals = new Map<string, Totals>();
  let others = new Map<string, Share[]>();

  const read = async (nowMs: number): Promise<void> => {
    const since = Math.floor(nowMs / 1000) - hourSeconds;
    [totals, others] = await Promise.all([loadTotals(db), loadShares(db, process, since)]);
  };

  const rebuild = (nowMs: number): void => {
    const next = new Map<string, Snapshot>();
    for (const key of new Set([...totals.keys(), ...others.keys(), ...entries.keys()])) {
      const own = entries.get(key)?.window.share(nowMs);
      const shares = others.get(key) ?? [];
      next.set(key, snapshotOf(own ? [...shares, own] : shares, totals.get(key), nowMs));
    }
    snapshots = next;
  };

  const forgetIdle = (nowMs: number): void => {
    for (const [key, entry] of entries) {
      if (!entry.touched && nowMs - entry.window.lastUsedMs > hourSeconds * 1000) entries.delete(key);
    }
  };

  const entryOf = (candidate: Candidate): Entry | undefined => {
    const known = entries.get(candidate.key);
    if (known || entries.size >= maxWindows) return known;
    const { channel, modelId } = candidate;
    const entry: Entry = {
      id: { provider: channel.provider, modelId, channelId: channel.id },
      window: openWindow(snapshots.get(candidate.key)?.qualityScore ?? candidate.qualityScore),
      pending: nothing(),
      touched: false,
    };
    entries.set(candidate.key, entry);
    return entry;
  };

  await read(clock.nowMs());
  rebuild(clock.nowMs());

  return {
    record(candidate, sample) {
      const entry = entryOf(candidate);
      if (!entry) return;
      entry.touched = true;
      entry.pending.totalRequests += 1;
      entry.pending.promptTokens += sample.promptTokens;
      entry.pending.completionTokens += sample.completionTokens;
      entry.window.add(sample, clock.nowMs());
    },
    measured: (candidate) =>
      snapshots.get(candidate.key) ?? {
        samples: 0,
        ...unmeasured,
        qualityScore: candidate.qualityScore,
        throughput: null,
      },
    snapshot: (key) => snapshots.get(key) ?? null,
    async aggregate() {
      const nowMs = clock.nowMs();
      const now = Math.floor(nowMs / 1000);
      const taken = takeNews(entries.values(), nowMs);
      try {
        await saveMetrics(
          db,
          process,
          taken.map((one) => one.news),
          now,
        );
      } catch (error) {
        giveBack(taken);
        onError?.(error);
      }
      await read(nowMs).catch((error) => onError?.(error));
      rebuild(nowMs);
      forgetIdle(nowMs);
      await sweepShares(db, now - hourSeconds).catch((error) => onError?.(error));
    },
  };
}
