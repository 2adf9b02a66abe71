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
import { type HourStats, mergeShares, type Sample, type Share, Window } from './window.ts';

/** How a candidate performed. */
interface Snapshot extends Measured, CandidateId {
  totalRequests: number;
  promptTokens: number;
  completionTokens: number;
  hour: HourStats;
}

export interface Metrics {
  /** Cheap enough for every request: only increments counters in memory. */
  record(candidate: Candidate, sample: Sample): void;
  /** From the last aggregation; defaults before the first. */
  measured(candidate: Candidate): Measured;
  /** For display: includes what this process has counted since the last aggregation. In memory only. */
  snapshot(key: string): Snapshot | null;
  snapshots(): Iterable<Snapshot>;
  /**
   * Adds this process's counts to the totals, stores its last hour under its own id, reads those of the other
   * processes, and merges them into new snapshots. If the database is unavailable, snapshots come from this process
   * alone and the writes wait for the next cycle.
   */
  aggregate(): Promise<void>;
}

interface MetricsDeps {
  db: Db;
  clock: Clock;
  onError?: (error: unknown) => void;
}

const hourSeconds = 3600;
/** No catalog has this many; a bound nevertheless, since each window takes some kilobytes. */
const maxWindows = 5000;

interface Entry {
  id: CandidateId;
  window: Window;
  /** Not yet in the database. */
  pending: Totals;
  /** Being written: not yet part of the totals read from the database. */
  written: Totals;
  touched: boolean;
}

const nothing = (): Totals => ({ totalRequests: 0, promptTokens: 0, completionTokens: 0, qualityScore: 1 });

/** Takes out the counts of one cycle, so that requests meanwhile count towards the next. */
function takeNews(entries: Iterable<Entry>, nowMs: number): { entry: Entry; news: MetricsNews }[] {
  const taken = [];
  for (const entry of entries) {
    entry.window.endCycle();
    if (!entry.touched) continue;
    const added = { ...entry.pending, qualityScore: entry.window.quality };
    entry.written = added;
    taken.push({ entry, news: { ...entry.id, added, share: entry.window.share(nowMs) } });
    entry.pending = nothing();
    entry.touched = false;
  }
  return taken;
}

const sumOf = (parts: readonly Totals[]): Totals =>
  parts.reduce((sum, one) => ({
    totalRequests: sum.totalRequests + one.totalRequests,
    promptTokens: sum.promptTokens + one.promptTokens,
    completionTokens: sum.completionTokens + one.completionTokens,
    qualityScore: sum.qualityScore,
  }));

function giveBack(taken: { entry: Entry; news: MetricsNews }[]): void {
  for (const { entry, news } of taken) {
    entry.pending = sumOf([entry.pending, news.added]);
    entry.written = nothing();
    entry.touched = true;
  }
}

function snapshotOf(id: CandidateId, shares: readonly Share[], totals: Totals, nowMs: number): Snapshot {
  const hour = mergeShares(shares, nowMs);
  return {
    provider: id.provider,
    modelId: id.modelId,
    channelId: id.channelId,
    samples: hour.samples,
    successRate: hour.successRate ?? unmeasured.successRate,
    latencyMs: hour.avgLatencyMs ?? unmeasured.latencyMs,
    qualityScore: hour.quality ?? totals.qualityScore,
    throughput: hour.throughput,
    totalRequests: totals.totalRequests,
    promptTokens: totals.promptTokens,
    completionTokens: totals.completionTokens,
    hour,
  };
}

class StoredMetrics implements Metrics {
  readonly #process = randomString(12);
  readonly #entries = new Map<string, Entry>();
  #snapshots = new Map<string, Snapshot>();
  #snapshotsMs = 0;
  #totals = new Map<string, Totals & CandidateId>();
  #others = new Map<string, Share[]>();

  constructor(readonly deps: MetricsDeps) {}

  record(candidate: Candidate, sample: Sample): void {
    const entry = this.#entryOf(candidate);
    if (!entry) return;
    entry.touched = true;
    entry.pending.totalRequests += 1;
    entry.pending.promptTokens += sample.promptTokens;
    entry.pending.completionTokens += sample.completionTokens;
    entry.window.add(sample, this.deps.clock.nowMs());
  }

  measured(candidate: Candidate): Measured {
    const known = this.#snapshots.get(candidate.key);
    if (known) return known;
    // Spelled out rather than spread: this runs for every candidate of every request.
    const { successRate, latencyMs } = unmeasured;
    return { samples: 0, successRate, latencyMs, qualityScore: candidate.qualityScore, throughput: null };
  }

  snapshot(key: string): Snapshot | null {
    const entry = this.#entries.get(key);
    if (!entry || entry.window.lastUsedMs < this.#snapshotsMs) return this.#snapshots.get(key) ?? null;
    return this.#snapshotNow(key, entry.id, this.deps.clock.nowMs());
  }

  *snapshots(): Iterable<Snapshot> {
    for (const key of new Set([...this.#snapshots.keys(), ...this.#entries.keys()])) {
      const snapshot = this.snapshot(key);
      if (snapshot) yield snapshot;
    }
  }

  async load(): Promise<void> {
    const nowMs = this.deps.clock.nowMs();
    await this.#read(nowMs);
    this.#rebuild(nowMs);
  }

  async aggregate(): Promise<void> {
    const { db, clock, onError } = this.deps;
    const nowMs = clock.nowMs();
    const now = Math.floor(nowMs / 1000);
    const taken = takeNews(this.#entries.values(), nowMs);
    const news = taken.map((one) => one.news);
    try {
      await saveMetrics(db, this.#process, news, now);
    } catch (error) {
      giveBack(taken);
      onError?.(error);
    }
    try {
      await sweepShares(db, now - hourSeconds);
      await this.#read(nowMs);
      for (const { entry } of taken) entry.written = nothing();
    } catch (error) {
      onError?.(error);
    }
    this.#rebuild(nowMs);
    this.#forgetIdle(nowMs);
  }

  #entryOf(candidate: Candidate): Entry | undefined {
    const known = this.#entries.get(candidate.key);
    if (known || this.#entries.size >= maxWindows) return known;
    const entry: Entry = {
      id: { provider: candidate.channel.provider, modelId: candidate.modelId, channelId: candidate.channel.id },
      window: new Window(this.measured(candidate).qualityScore),
      pending: nothing(),
      written: nothing(),
      touched: false,
    };
    this.#entries.set(candidate.key, entry);
    return entry;
  }

  async #read(nowMs: number): Promise<void> {
    const { db } = this.deps;
    const since = Math.floor(nowMs / 1000) - hourSeconds;
    [this.#totals, this.#others] = await Promise.all([loadTotals(db), loadShares(db, this.#process, since)]);
  }

  #rebuild(nowMs: number): void {
    const next = new Map<string, Snapshot>();
    for (const [key, id] of this.#totals) next.set(key, this.#snapshotNow(key, id, nowMs));
    for (const [key, { id }] of this.#entries) if (!next.has(key)) next.set(key, this.#snapshotNow(key, id, nowMs));
    this.#snapshots = next;
    this.#snapshotsMs = nowMs;
  }

  #snapshotNow(key: string, id: CandidateId, nowMs: number): Snapshot {
    const entry = this.#entries.get(key);
    const shares = [...(this.#others.get(key) ?? [])];
    if (entry) shares.push(entry.window.share(nowMs));
    const { pending, written } = entry ?? { pending: nothing(), written: nothing() };
    return snapshotOf(id, shares, sumOf([this.#totals.get(key) ?? nothing(), pending, written]), nowMs);
  }

  #forgetIdle(nowMs: number): void {
    for (const [key, entry] of this.#entries) {
      if (!entry.touched && nowMs - entry.window.lastUsedMs > hourSeconds * 1000) this.#entries.delete(key);
    }
  }
}

/** Loads earlier measurements, so that a restart does not lose the last hour. */
export async function openMetrics(deps: MetricsDeps): Promise<Metrics> {
  const metrics = new StoredMetrics(deps);
  await metrics.load();
  return metrics;
}
