import type { Clock } from '../../lib/clock.ts';
import type { CacheSync } from './cache-sync.ts';

/** How long an entry is valid: long while changes are announced, a second while messages may be lost. */
const announcedMs = 60_000;
const unheardMs = 1_000;

export interface LookupOptions<V> {
  load(key: string): Promise<V | null>;
  /** Tags by which the entry is invalidated, such as `user:7`. */
  tagsOf(value: V): string[];
  max: number;
  clock: Clock;
  cacheSync: Pick<CacheSync, 'heard'>;
}

/** A bounded cache of rows looked up by a secret's hash. Changes invalidate entries by tag, in every process. */
export class CachedLookup<V> {
  readonly #entries = new Map<string, { value: V; readMs: number; tags: string[] }>();
  /** Keys by tag: invalidations are frequent, and rarely concern more than a few of thousands of entries. */
  readonly #tagged = new Map<string, Set<string>>();
  readonly #loading = new Map<string, Promise<V | null>>();
  /** Incremented by every invalidation: a value read before one must not be cached after it. */
  #generation = 0;

  constructor(readonly options: LookupOptions<V>) {}

  get(key: string): V | null | Promise<V | null> {
    const { clock, cacheSync } = this.options;
    const entry = this.#entries.get(key);
    // Checked on access, so that entries cached in good times expire quickly too once messages may be lost.
    if (entry && clock.steadyMs() - entry.readMs < (cacheSync.heard() ? announcedMs : unheardMs)) return entry.value;
    return this.#loading.get(key) ?? this.#start(key);
  }

  #start(key: string): Promise<V | null> {
    const started = this.#load(key).finally(() => {
      if (this.#loading.get(key) === started) this.#loading.delete(key);
    });
    this.#loading.set(key, started);
    return started;
  }

  async #load(key: string): Promise<V | null> {
    const generation = this.#generation;
    // The age counts from the query: the row may change while a slow response is on its way.
    const readMs = this.options.clock.steadyMs();
    const value = await this.options.load(key);
    if (generation !== this.#generation) return value;
    this.forget(key);
    if (value === null) return null;
    if (this.#entries.size >= this.options.max) this.forget(this.#entries.keys().next().value!);
    const tags = this.options.tagsOf(value);
    this.#entries.set(key, { value, readMs, tags });
    for (const tag of tags) {
      const keys = this.#tagged.get(tag);
      if (keys) keys.add(key);
      else this.#tagged.set(tag, new Set([key]));
    }
    return value;
  }

  invalidate(tag: string): void {
    this.#generation += 1;
    this.#loading.clear();
    for (const key of this.#tagged.get(tag) ?? []) this.forget(key);
  }

  /** Removes one entry that the caller knows to be outdated. */
  forget(key: string): void {
    for (const tag of this.#entries.get(key)?.tags ?? []) {
      const keys = this.#tagged.get(tag);
      keys?.delete(key);
      if (keys?.size === 0) this.#tagged.delete(tag);
    }
    this.#entries.delete(key);
  }

  clear(): void {
    this.#generation += 1;
    this.#loading.clear();
    this.#entries.clear();
    this.#tagged.clear();
  }
}
