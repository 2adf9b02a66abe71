import type { Shared } from './port.ts';

/** How long an entry may live: long while changes are announced, a second while they may go unheard. */
const announcedTtlMs = 60_000;
const unheardTtlMs = 1_000;

export interface LookupOptions<V> {
  load(key: string): Promise<V | null>;
  /** Names under which the entry is thrown out, such as `user:7`. */
  tagsOf(value: V): string[];
  max: number;
  shared: Shared;
  /** True when another process may change what is cached without announcing it through `shared`. */
  othersWrite: boolean;
}

/** A bounded cache of rows looked up by a secret's hash; changes throw entries out by tag, in every process. */
export class CachedLookup<V> {
  readonly #entries = new Map<string, { value: V; until: number }>();
  readonly #loading = new Map<string, Promise<V | null>>();
  /** Raised by every invalidation: what was read before it must not be kept after it. */
  #generation = 0;

  constructor(readonly options: LookupOptions<V>) {}

  get(key: string): V | null | Promise<V | null> {
    const entry = this.#entries.get(key);
    if (entry && entry.until > Date.now()) return entry.value;
    const loading = this.#loading.get(key);
    if (loading) return loading;
    const started = this.#load(key).finally(() => this.#loading.delete(key));
    this.#loading.set(key, started);
    return started;
  }

  async #load(key: string): Promise<V | null> {
    const generation = this.#generation;
    const value = await this.options.load(key);
    if (value === null || generation !== this.#generation) return value;
    if (this.#entries.size >= this.options.max) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.set(key, { value, until: Date.now() + this.#ttlMs() });
    return value;
  }

  #ttlMs(): number {
    const { shared, othersWrite } = this.options;
    const heard = shared.kind === 'redis' ? shared.healthy() : !othersWrite;
    return heard ? announcedTtlMs : unheardTtlMs;
  }

  invalidate(tag: string): void {
    this.#generation += 1;
    this.#loading.clear();
    for (const [key, entry] of this.#entries)
      if (this.options.tagsOf(entry.value).includes(tag)) this.#entries.delete(key);
  }

  clear(): void {
    this.#generation += 1;
    this.#loading.clear();
    this.#entries.clear();
  }
}
