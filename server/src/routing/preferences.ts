import type { Clock } from '../lib/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Hearing } from '../platform/shared/hearing.ts';
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
  hearing: Hearing;
}

interface Held {
  value: Preferences | null;
  readMs: number;
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
    const { shared, hearing } = this.deps;
    const forgetAll = () => {
      this.#held.clear();
      this.#loading.clear();
    };
    this.#unsubscribe = await shared.subscribe(channel, (message) => this.#forget(Number(message)), forgetAll);
    hearing.onGap(forgetAll);
  }

  get(userId: number): Preferences | null | Promise<Preferences | null> {
    const held = this.#held.get(userId);
    const { clock, hearing } = this.deps;
    if (held && clock.steadyMs() - held.readMs < (hearing.heard() ? lifeMs : lifeWithoutNewsMs)) return held.value;
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
    const { db, clock } = this.deps;
    const readMs = clock.steadyMs();
    const loading: Promise<Preferences | null> = readPreferences(db, userId).then(
      (value) => {
        if (this.#loading.get(userId) === loading) this.#keep(userId, value, readMs);
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

  #keep(userId: number, value: Preferences | null, readMs: number): void {
    this.#loading.delete(userId);
    this.#held.delete(userId);
    this.#held.set(userId, { value, readMs });
    if (this.#held.size > maxUsers) this.#held.delete(this.#held.keys().next().value!);
  }
}

export async function openPreferences(deps: PreferencesDeps): Promise<PreferencesCache> {
  const preferences = new StoredPreferences(deps);
  await preferences.subscribe();
  return preferences;
}
