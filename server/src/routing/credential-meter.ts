import type { Clock } from '../lib/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import { WriteBehind } from '../platform/durable/batch.ts';
import type { Shared } from '../platform/shared/port.ts';
import type { Credential } from './candidate.ts';
import { MinuteCount, minuteEndsInMs, minuteOf } from './minute-count.ts';
import { addToDay, type CredentialDay, type DayUse, readDay, sweepDays } from './store/credential-days.ts';

/** What one call made of a credential. */
export interface CredentialUse {
  failed: boolean;
  tokens: number;
  /** In quota, at the price of the model. */
  spent: number;
}

/** What a call will make of it, as far as can be told when it begins. */
export type Expected = Pick<CredentialUse, 'tokens' | 'spent'>;

/** What is put aside for a call that is under way. */
export interface PutAside extends Expected {
  minute: number;
}

/** What the credentials of channels are used for, against their limits. Asking never waits. */
export interface CredentialMeter {
  /** How long until its limits let a request through; 0 when they do now. */
  waitMs(credential: Credential): number;
  /** The upstream is at its limit with this key, for this model: others come first until it wants to be asked again. */
  rest(wayKey: string, ms?: number): void;
  rests(wayKey: string): boolean;
  /** A request goes out with it. What is expected of it counts at once, so that a burst finds the limits where they are. */
  sent(credential: Credential, expected?: () => Expected): PutAside | undefined;
  /** Takes the place of what was put aside. */
  ended(credential: Credential, use: CredentialUse, aside?: PutAside): void;
  /** By all processes, as far as is known here. */
  today(credentialId: number): DayUse;
  /** Part of the cycle: hears what other processes counted, forgets what is long past. */
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
/** Months are looked back at now and then; years are not. */
const keptDays = 62;
/** Soon enough that limits of a day hold between processes, seldom enough to cost nothing. */
const writeEveryMs = 2_000;

/** For upstreams that do not say; most limits are of a minute, and let through little by little. */
const usualRestMs = 5_000;
/** Who says more is asked again after this: nobody is hurt by one more refusal. */
const longestRestMs = 60_000;

const nothing = (): DayUse => ({ requests: 0, failures: 0, tokens: 0, spent: 0 });

const nothingAside: PutAside = { tokens: 0, spent: 0, minute: 0 };

interface Meter {
  requests: MinuteCount;
  tokens: MinuteCount;
  day: number;
  /** As the database last told. */
  written: DayUse;
  /** Not in the database yet. */
  pending: DayUse;
  /** For calls of this process that are under way. */
  asideSpent: number;
}

class StoredMeter implements CredentialMeter {
  /** Bounded by the credentials that there are; those that are gone stay until the process ends. */
  readonly #meters = new Map<number, Meter>();
  /** When each may be asked again, in steady time; bounded by the ways that there are. */
  readonly #resting = new Map<string, number>();
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
    if (spendPerDay !== null && meter.written.spent + meter.pending.spent + meter.asideSpent >= spendPerDay)
      return dayMs - (nowMs % dayMs);
    const full =
      (requestsPerMinute !== null && meter.requests.at(nowMs) >= requestsPerMinute) ||
      (tokensPerMinute !== null && meter.tokens.at(nowMs) >= tokensPerMinute);
    return full ? minuteEndsInMs(nowMs) : 0;
  }

  rest(wayKey: string, ms = usualRestMs): void {
    this.#resting.set(wayKey, this.deps.clock.steadyMs() + Math.min(ms, longestRestMs));
  }

  rests(wayKey: string): boolean {
    const until = this.#resting.get(wayKey);
    if (until === undefined) return false;
    if (until > this.deps.clock.steadyMs()) return true;
    this.#resting.delete(wayKey);
    return false;
  }

  sent({ id, limits }: Credential, expected?: () => Expected): PutAside | undefined {
    const nowMs = this.deps.clock.nowMs();
    const meter = this.#current(id, nowMs);
    if (limits?.requestsPerMinute != null) meter.requests.add(nowMs, 1);
    meter.pending.requests += 1;
    this.#behind.soon();
    if (!expected || (limits?.tokensPerMinute ?? limits?.spendPerDay ?? null) === null) return undefined;
    const aside = { ...expected(), minute: minuteOf(nowMs) };
    if (limits?.tokensPerMinute != null) meter.tokens.add(nowMs, aside.tokens);
    meter.asideSpent += aside.spent;
    return aside;
  }

  ended({ id, limits }: Credential, { failed, tokens, spent }: CredentialUse, aside = nothingAside): void {
    const nowMs = this.deps.clock.nowMs();
    const meter = this.#current(id, nowMs);
    const more = tokens - aside.tokens;
    // What was expected was counted when it began; a minute that is over gets nothing back.
    if (limits?.tokensPerMinute != null && (more > 0 || (more < 0 && aside.minute === minuteOf(nowMs))))
      meter.tokens.add(nowMs, more);
    meter.asideSpent -= aside.spent;
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
        ...{ day, written: nothing(), pending: nothing(), asideSpent: 0 },
      };
      this.#meters.set(id, meter);
    }
    if (meter.day !== day) {
      // What waits of yesterday is written a moment late, and counts as today's: seconds of a day.
      meter.day = day;
      meter.written = nothing();
    }
    return meter;
  }

  #adopt({ credentialId, day, ...use }: CredentialDay): void {
    const meter = this.#current(credentialId, this.deps.clock.nowMs());
    // A day only grows: of two answers that cross on their way the lower one is the older.
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
      // Counted as written from now on, so that a limit does not forget it on the way.
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

/** Reads what was counted today, so that a restart does not give a day's limit anew. */
export async function openCredentialMeter(deps: MeterDeps): Promise<CredentialMeter> {
  const meter = new StoredMeter(deps);
  await meter.refresh().catch((error) => deps.onError?.(error));
  return meter;
}
