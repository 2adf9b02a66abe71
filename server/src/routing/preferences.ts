import type { Clock } from '../lib/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Shared } from '../platform/shared/port.ts';
import type { Preferences } from './rank.ts';
import { readPreferences, writePreferences } from './store/preferences.ts';

export interface PreferencesCache {
  /** Null when the user never set any. Known users are answered without waiting. */
  get(userId: number): Preferences | null | Promise<Preferences | null>;
  update(userId: number, patch: Partial<Preferences>): Promise<Preferences>;
  close(): Promise<void>;
}

interface PreferencesDeps {
  db: Db;
  clock: Clock;
  shared: Shared;
}

interface Held {
  value: Preferences | null;
  untilMs: number;
}

const channel = 'routing:preferences';
/** Changes are announced; the life only mends an announcement that was lost. Shorter while none can arrive. */
const lifeMs = 300_000;
const lifeWithoutNewsMs = 5_000;
const maxUsers = 20_000;

/** Invalidated by `routing:preferences` messages, wholly after a gap. */
class StoredPreferences implements PreferencesCache {
  readonly #held = new Map<number, Held>();
  readonly #loading = new Map<number, Promise<Preferences | null>>();
  #unsubscribe: (() => Promise<void>) | undefined;

  constructor(readonly deps: PreferencesDeps) {}

  async subscribe(): Promise<void> {
    this.#unsubscribe = await this.deps.shared.subscribe(
      channel,
      (message) => this.#forget(Number(message)),
      () => {
        this.#held.clear();
        this.#loading.clear();
      },
    );
  }

  get(userId: number): Preferences | null | Promise<Preferences | null> {
    const held = this.#held.get(userId);
    if (held && held.untilMs > this.deps.clock.nowMs()) return held.value;
    return this.#loading.get(userId) ?? this.#load(userId, held);
  }

  async update(userId: number, patch: Partial<Preferences>): Promise<Preferences> {
    const now = Math.floor(this.deps.clock.nowMs() / 1000);
    const written = await writePreferences(this.deps.db, userId, patch, now);
    this.#forget(userId);
    // Without Redis the others see it when their copy's life ends.
    await this.deps.shared.publish(channel, String(userId)).catch(() => {});
    return written;
  }

  async close(): Promise<void> {
    await this.#unsubscribe?.();
  }

  #forget(userId: number): void {
    this.#held.delete(userId);
    // A read under way may have seen the old row: it is answered, but not kept.
    this.#loading.delete(userId);
  }

  #load(userId: number, stale: Held | undefined): Promise<Preferences | null> {
    const { db } = this.deps;
    const loading: Promise<Preferences | null> = readPreferences(db, userId).then(
      (value) => {
        if (this.#loading.get(userId) === loading) this.#keep(userId, value);
        return value;
      },
      (error) => {
        if (this.#loading.get(userId) === loading) this.#loading.delete(userId);
        // What the user blocked a moment ago is better than no answer while the database is away.
        if (stale) return stale.value;
        throw error;
      },
    );
    this.#loading.set(userId, loading);
    return loading;
  }

  #keep(userId: number, value: Preferences | null): void {
    this.#loading.delete(userId);
    this.#held.delete(userId);
    const life = this.deps.shared.healthy() ? lifeMs : lifeWithoutNewsMs;
    this.#held.set(userId, { value, untilMs: this.deps.clock.nowMs() + life });
    if (this.#held.size > maxUsers) this.#held.delete(this.#held.keys().next().value!);
  }
}

export async function openPreferences(deps: PreferencesDeps): Promise<PreferencesCache> {
  const preferences = new StoredPreferences(deps);
  await preferences.subscribe();
  return preferences;
}
