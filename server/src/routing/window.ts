import { addSparse, bucketCount, bucketOf, percentile, sparse } from './histogram.ts';

/** One finished call to a candidate. */
export interface Sample {
  /** Neutral (429, an invalid request, a disconnected caller) counts as a request and nothing else. */
  outcome: 'success' | 'failure' | 'neutral';
  latencyMs: number;
  /** Time to first token, for streams. */
  ttftMs?: number;
  promptTokens: number;
  completionTokens: number;
  /** Complete and of the right shape. */
  wellFormed: boolean;
  nonEmpty: boolean;
  /** Whether tool calls or JSON were valid, if they were requested. */
  validStructured?: boolean;
}

/** The last hour is twelve slots of five minutes; the oldest is dropped as a whole. */
const slotMs = 300_000;
const slotsPerHour = 12;

/**
 * Whether a slot belongs to the last hour. Slots in the future come from a wrong clock, except the next one, which
 * another process may have started already.
 */
const counts = (number: number, nowMs: number): boolean => {
  const present = Math.floor(nowMs / slotMs);
  return number > present - slotsPerHour && number <= present + 1;
};

interface Slot {
  number: number;
  successes: number;
  failures: number;
  latencySum: number;
  /** Of successful requests, for the throughput. */
  completionTokens: number;
  latency: Uint32Array;
  ttft: Uint32Array | null;
}

/** A slot as stored, with sparse histograms: number, successes, failures, latency sum, tokens, latency, ttft. */
type StoredSlot = [number, number, number, number, number, number[], number[]];

/** What one process knows about a candidate's last hour. */
export interface Share {
  slots: StoredSlot[];
  quality: number;
}

const smoothing = 0.3;

/** From 0 to 1; if nothing structured was requested, it counts as valid. */
export function qualityOf(counts: ReturnType<typeof emptyCycle>): number {
  const { answers, asked } = counts;
  const structured = asked === 0 ? 1 : counts.valid / asked;
  return 0.5 * (counts.wellFormed / answers) + 0.3 * (counts.nonEmpty / answers) + 0.2 * structured;
}

const emptyCycle = () => ({ answers: 0, wellFormed: 0, nonEmpty: 0, asked: 0, valid: 0 });

const emptySlot = (number: number): Slot => ({
  number,
  successes: 0,
  failures: 0,
  latencySum: 0,
  completionTokens: 0,
  latency: new Uint32Array(bucketCount),
  ttft: null,
});

/** A candidate's last hour as this process saw it. */
export class Window {
  #slots: Slot[] = [];
  #cycle = emptyCycle();
  #lastUsedMs = 0;
  #quality: number;

  constructor(startQuality: number) {
    this.#quality = startQuality;
  }

  get quality(): number {
    return this.#quality;
  }

  get lastUsedMs(): number {
    return this.#lastUsedMs;
  }

  add(sample: Sample, nowMs: number): void {
    this.#lastUsedMs = nowMs;
    if (sample.outcome === 'neutral') return;
    const slot = this.#slotAt(Math.floor(nowMs / slotMs));
    this.#judge(sample);
    if (sample.outcome === 'failure') {
      slot.failures += 1;
      return;
    }
    // Only the latency of successes counts: a refused connection is fast, and must not make a provider look fast.
    slot.successes += 1;
    slot.latencySum += sample.latencyMs;
    slot.completionTokens += sample.completionTokens;
    slot.latency[bucketOf(sample.latencyMs)]! += 1;
    if (sample.ttftMs !== undefined) {
      slot.ttft ??= new Uint32Array(bucketCount);
      slot.ttft[bucketOf(sample.ttftMs)]! += 1;
    }
  }

  /** Ends the cycle and updates the quality score. */
  endCycle(): void {
    if (this.#cycle.answers === 0) return;
    this.#quality += smoothing * (qualityOf(this.#cycle) - this.#quality);
    this.#cycle = emptyCycle();
  }

  share(nowMs: number): Share {
    return { quality: this.#quality, slots: this.#slots.filter((slot) => counts(slot.number, nowMs)).map(stored) };
  }

  #slotAt(number: number): Slot {
    const last = this.#slots[this.#slots.length - 1];
    return last?.number === number ? last : this.#openSlot(number);
  }

  #openSlot(number: number): Slot {
    this.#slots = this.#slots.filter((slot) => counts(slot.number, number * slotMs));
    const slot = emptySlot(number);
    this.#slots.push(slot);
    return slot;
  }

  #judge(sample: Sample): void {
    const cycle = this.#cycle;
    cycle.answers += 1;
    if (sample.wellFormed) cycle.wellFormed += 1;
    if (sample.nonEmpty) cycle.nonEmpty += 1;
    if (sample.validStructured === undefined) return;
    cycle.asked += 1;
    if (sample.validStructured) cycle.valid += 1;
  }
}

const stored = (slot: Slot): StoredSlot => [
  slot.number,
  slot.successes,
  slot.failures,
  Math.round(slot.latencySum),
  slot.completionTokens,
  sparse(slot.latency),
  slot.ttft ? sparse(slot.ttft) : [],
];

export interface HourStats {
  samples: number;
  successRate: number | null;
  avgLatencyMs: number | null;
  p50Ms: number | null;
  p95Ms: number | null;
  p99Ms: number | null;
  ttftP50Ms: number | null;
  ttftP95Ms: number | null;
  ttftP99Ms: number | null;
  throughput: number | null;
  /** Average of the shares, weighted by their samples; null if there are none. */
  quality: number | null;
}

/** Merges the shares of all processes, without slots older than an hour. */
export function mergeShares(shares: readonly Share[], nowMs: number): HourStats {
  const latency = new Uint32Array(bucketCount);
  const ttft = new Uint32Array(bucketCount);
  let [successes, failures, latencySum, tokens, ttftCount, qualitySum] = [0, 0, 0, 0, 0, 0];
  for (const share of shares) {
    let seen = 0;
    for (const [number, good, bad, sum, completion, latencies, ttfts] of share.slots) {
      if (!counts(number, nowMs)) continue;
      successes += good;
      failures += bad;
      latencySum += sum;
      tokens += completion;
      seen += good + bad;
      addSparse(latency, latencies);
      ttftCount += addSparse(ttft, ttfts);
    }
    qualitySum += share.quality * seen;
  }
  const samples = successes + failures;
  return {
    samples,
    successRate: samples === 0 ? null : successes / samples,
    avgLatencyMs: successes === 0 ? null : latencySum / successes,
    p50Ms: percentile(latency, successes, 0.5),
    p95Ms: percentile(latency, successes, 0.95),
    p99Ms: percentile(latency, successes, 0.99),
    ttftP50Ms: percentile(ttft, ttftCount, 0.5),
    ttftP95Ms: percentile(ttft, ttftCount, 0.95),
    ttftP99Ms: percentile(ttft, ttftCount, 0.99),
    throughput: latencySum === 0 ? null : (tokens * 1000) / latencySum,
    quality: samples === 0 ? null : qualitySum / samples,
  };
}
