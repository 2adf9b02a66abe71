import type { Clock } from '../lib/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import { WriteBehind } from '../platform/durable/batch.ts';
import type { Shared } from '../platform/shared/port.ts';
import type { Credential } from './candidate.ts';
import { MinuteCount, minuteEndsInMs, minuteOf } from './minute-count.ts';
import { addToDay, type CredentialDay, type DayUse, readDay, sweepDays } from './store/credential-days.ts';

/** What one call used of a credential's limits. */
export interface CredentialUse {
  failed: boolean;
  tokens: number;
  /** In quota units, at the price of the model. */
  spent: number;
}

/** The estimated usage of a call when it starts. */
export type Expected = Pick<CredentialUse, 'tokens' | 'spent'>;

/** What is reserved for a call in progress. */
export interface Reservation extends Expected {
  minute: number;
}

/** Measures the usage of channels' credentials against their limits. Reading never waits. */
export interface CredentialMeter {
  /** How long until its limits admit a request; 0 if they do now. */
  waitMs(credential: Credential): number;
  /** The upstream rate-limited this key for this model: prefer other keys until it may be retried. */
  coolDown(circuitKey: string, ms?: number): void;
  isCoolingDown(circuitKey: string): boolean;
  /** A request is sent with it. Its estimate counts at once, so that a burst of requests hits the limits in time. */
  sent(credential: Credential, expected?: () => Expected): Reservation | undefined;
  /** Replaces the reservation by the actual usage. */
  ended(credential: Credential, use: CredentialUse, reservation?: Reservation): void;
  /** Usage by all processes, as far as this one knows. */
  today(credentialId: number): DayUse;
  /** Part of the cycle: reads the counts of other processes and evicts old ones. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

interface MeterDeps {
  db: Db;
  clock: Clock;
  shared: Shared;
  onError?: (error: unknown) => void;
}

const dayMs = 86_400_000;
/** The UI looks back months, not years. */
const keptDays = 62;
/** Often enough that daily limits hold across processes, rarely enough to cost nothing. */
const writeEveryMs = 2_000;

/** For upstreams that do not say. Most limits are per minute and recover gradually. */
const defaultCoolDownMs = 5_000;
/** Upper bound on what an upstream asks for: one more rejected call does no harm. */
const maxCoolDownMs = 60_000;

const nothing = (): DayUse => ({ requests: 0, failures: 0, tokens: 0, spent: 0 });

const noReservation: Reservation = { tokens: 0, spent: 0, minute: 0 };

interface Meter {
  requests: MinuteCount;
  tokens: MinuteCount;
  day: number;
  /** As last read from the database. */
  written: DayUse;
  /** Not yet in the database. */
  pending: DayUse;
  /** Reserved by calls of this process in progress. */
  reservedSpend: number;
}

class StoredMeter implements CredentialMeter {
  /** Bounded by the number of credentials; deleted ones stay until the process ends. */
  readonly #meters = new Map<number, Meter>();
  /** When each may be used again, in monotonic time; bounded by the number of circuits. */
  readonly #coolingDown = new Map<string, number>();
  readonly #behind: WriteBehind;

  constructor(readonly deps: MeterDeps) {
    this.#behind = new WriteBehind({
      everyMs: writeEveryMs,
      write: () => this.#write(),
      failed: (error) => deps.onError?.(error),
    });
  }

  waitMs({ id, limits }: Credential): number {
    if (limits === null) return 0;
    const nowMs = this.deps.clock.nowMs();
    const meter = this.#current(id, nowMs);
    const { requestsPerMinute, tokensPerMinute, spendPerDay } = limits;
    if (spendPerDay !== null && meter.written.spent + meter.pending.spent + meter.reservedSpend >= spendPerDay)
      return dayMs - (nowMs % dayMs);
    const full =
      (requestsPerMinute !== null && meter.requests.at(nowMs) >= requestsPerMinute) ||
      (tokensPerMinute !== null && meter.tokens.at(nowMs) >= tokensPerMinute);
    return full ? minuteEndsInMs(nowMs) : 0;
  }

  coolDown(circuitKey: string, ms = defaultCoolDownMs): void {
    this.#coolingDown.set(circuitKey, this.deps.clock.steadyMs() + Math.min(ms, maxCoolDownMs));
  }

  isCoolingDown(circuitKey: string): boolean {
    const until = this.#coolingDown.get(circuitKey);
    if (until === undefined) return false;
    if (until > this.deps.clock.steadyMs()) return true;
    this.#coolingDown.delete(circuitKey);
    return false;
  }

  sent({ id, limits }: Credential, expected?: () => Expected): Reservation | undefined {
    const nowMs = this.deps.clock.nowMs();
    const meter = this.#current(id, nowMs);
    if (limits?.requestsPerMinute != null) meter.requests.add(nowMs, 1);
    meter.pending.requests += 1;
    this.#behind.soon();
    if (!expected || (limits?.tokensPerMinute ?? limits?.spendPerDay ?? null) === null) return undefined;
    const reservation = { ...expected(), minute: minuteOf(nowMs) };
    if (limits?.tokensPerMinute != null) meter.tokens.add(nowMs, reservation.tokens);
    meter.reservedSpend += reservation.spent;
    return reservation;
  }

  ended({ id, limits }: Credential, { failed, tokens, spent }: CredentialUse, reservation = noReservation): void {
    const nowMs = this.deps.clock.nowMs();
    const meter = this.#current(id, nowMs);
    const more = tokens - reservation.tokens;
    // The estimate was counted at the start. Only correct it downwards within the same minute.
    if (limits?.tokensPerMinute != null && (more > 0 || (more < 0 && reservation.minute === minuteOf(nowMs))))
      meter.tokens.add(nowMs, more);
    meter.reservedSpend -= reservation.spent;
    meter.pending.tokens += tokens;
    meter.pending.spent += spent;
    if (failed) meter.pending.failures += 1;
    this.#behind.soon();
  }

  today(credentialId: number): DayUse {
    const { written, pending } = this.#current(credentialId, this.deps.clock.nowMs());
    return sumOf(written, pending);
  }

  async refresh(): Promise<void> {
    const { db, clock } = this.deps;
    await this.#behind.flush();
    const day = Math.floor(clock.nowMs() / dayMs);
    for (const row of await readDay(db, day)) this.#adopt(row);
    await sweepDays(db, day - keptDays);
  }

  async close(): Promise<void> {
    await this.#behind.stop();
  }

  #current(id: number, nowMs: number): Meter {
    const day = Math.floor(nowMs / dayMs);
    let meter = this.#meters.get(id);
    if (!meter) {
      const shared = this.deps.shared.kind === 'memory' ? null : this.deps.shared;
      meter = {
        requests: new MinuteCount(`routing:credential:${id}:requests`, shared),
        tokens: new MinuteCount(`routing:credential:${id}:tokens`, shared),
        ...{ day, written: nothing(), pending: nothing(), reservedSpend: 0 },
      };
      this.#meters.set(id, meter);
    }
    if (meter.day !== day) {
      // Usage of yesterday that is not written yet counts as today's: only seconds of a day.
      meter.day = day;
      meter.written = nothing();
    }
    return meter;
  }

  #adopt({ credentialId, day, ...use }: CredentialDay): void {
    const meter = this.#current(credentialId, this.deps.clock.nowMs());
    // The count of a day only grows: of two responses out of order, the lower one is older.
    if (meter.day === day) meter.written = greaterOf(meter.written, use);
  }

  async #write(): Promise<void> {
    const { db, clock } = this.deps;
    for (const credentialId of [...this.#meters.keys()].sort((a, b) => a - b)) {
      const meter = this.#current(credentialId, clock.nowMs());
      const news = meter.pending;
      if (news.requests === 0 && news.failures === 0 && news.tokens === 0 && news.spent === 0) continue;
      const { day } = meter;
      meter.pending = nothing();
      // Count it as written right away, so that limits include it while the write is in flight.
      meter.written = sumOf(meter.written, news);
      try {
        this.#adopt(await addToDay(db, { credentialId, day, ...news }));
      } catch (error) {
        meter.pending = sumOf(meter.pending, news);
        if (meter.day === day) meter.written = lessThan(meter.written, news);
        throw error;
      }
    }
  }
}

const sumOf = (a: DayUse, b: DayUse): DayUse => ({
  requests: a.requests + b.requests,
  failures: a.failures + b.failures,
  tokens: a.tokens + b.tokens,
  spent: a.spent + b.spent,
});

const greaterOf = (a: DayUse, b: DayUse): DayUse => ({
  requests: Math.max(a.requests, b.requests),
  failures: Math.max(a.failures, b.failures),
  tokens: Math.max(a.tokens, b.tokens),
  spent: Math.max(a.spent, b.spent),
});

const lessThan = (a: DayUse, b: DayUse): DayUse => ({
  requests: a.requests - b.requests,
  failures: a.failures - b.failures,
  tokens: a.tokens - b.tokens,
  spent: a.spent - b.spent,
});

/** Reads today's counts, so that a restart does not reset daily limits. */
export async function openCredentialMeter(deps: MeterDeps): Promise<CredentialMeter> {
  const meter = new StoredMeter(deps);
  await meter.refresh().catch((error) => deps.onError?.(error));
  return meter;
}
