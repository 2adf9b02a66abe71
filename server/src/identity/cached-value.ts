import type { Clock } from '../lib/clock.ts';
import type { CacheSync } from '../platform/shared/cache-sync.ts';
import type { Announcements } from './announcements.ts';

/** Cache time while invalidations may be missed. */
const unheardMs = 1_000;

interface KeptDeps<V> {
  /** Invalidation tag. */
  tag: string;
  load(): Promise<V>;
  clock: Clock;
  cacheSync: Pick<CacheSync, 'heard'>;
  announcements: Announcements;
}

/** A rarely changing value of the database, cached until it changes. */
export class CachedValue<V> {
  #kept: { value: V; readMs: number } | null = null;
  #reading: Promise<V> | null = null;

  constructor(readonly deps: KeptDeps<V>) {
    const forget = () => {
      this.#kept = null;
      this.#reading = null;
    };
    deps.announcements.onChanged((changed) => {
      if (changed === deps.tag) forget();
    }, forget);
  }

  get(): V | Promise<V> {
    const { clock, cacheSync } = this.deps;
    const kept = this.#kept;
    if (kept && (cacheSync.heard() || clock.steadyMs() - kept.readMs < unheardMs)) return kept.value;
    return this.#reading ?? this.#read();
  }

  /** Call after a change was written; notifies other processes. */
  changed(): Promise<void> {
    return this.deps.announcements.changed(this.deps.tag);
  }

  /** Concurrent callers share one read; a value changed meanwhile is not cached. */
  #read(): Promise<V> {
    const readMs = this.deps.clock.steadyMs();
    const reading = this.deps.load();
    this.#reading = reading;
    const finish = (kept: { value: V; readMs: number } | null) => {
      if (this.#reading !== reading) return;
      this.#reading = null;
      this.#kept = kept;
    };
    reading.then(
      (value) => finish({ value, readMs }),
      () => finish(null),
    );
    return reading;
  }
}
