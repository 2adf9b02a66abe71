import type { Clock } from '../../lib/clock.ts';
import type { Hearing } from './hearing.ts';

/** How long an entry is believed: long while changes are announced, a second while they may go unheard. */
const announcedMs = 60_000;
const unheardMs = 1_000;

export interface LookupOptions<V> {
  load(key: string): Promise<V | null>;
  /** Names under which the entry is thrown out, such as `user:7`. */
  tagsOf(value: V): string[];
  max: number;
  clock: Clock;
  hearing: Pick<Hearing, 'heard'>;
}

/** A bounded cache of rows looked up by a secret's hash; changes throw entries out by tag, in every process. */
export class CachedLookup<V> {
  readonly #entries = new Map<string, { value: V; readMs: number }>();
  readonly #loading = new Map<string, Promise<V | null>>();
  /** Raised by every invalidation: what was read before it must not be kept after it. */
  #generation = 0;

  constructor(readonly options: LookupOptions<V>) {}

  get(key: string): V | null | Promise<V | null> {
    const { clock, hearing } = this.options;
    const entry = this.#entries.get(key);
    // Judged when it is asked for: what was read while all was well is doubted like the rest once nothing is heard.
    if (entry && clock.steadyMs() - entry.readMs < (hearing.heard() ? announcedMs : unheardMs)) return entry.value;
    const loading = this.#loading.get(key);
    if (loading) return loading;
    const started = this.#load(key).finally(() => {
      if (this.#loading.get(key) === started) this.#loading.delete(key);
    });
    this.#loading.set(key, started);
    return started;
  }

  async #load(key: string): Promise<V | null> {
    const generation = this.#generation;
    // As old as the question: an answer that takes long may have been overtaken on its way.
    const readMs = this.options.clock.steadyMs();
    const value = await this.options.load(key);
    if (generation !== this.#generation) return value;
    this.#entries.delete(key);
    if (value === null) return null;
    if (this.#entries.size >= this.options.max) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.set(key, { value, readMs });
    return value;
  }

  invalidate(tag: string): void {
    this.#generation += 1;
    this.#loading.clear();
    for (const [key, entry] of this.#entries)
      if (this.options.tagsOf(entry.value).includes(tag)) this.#entries.delete(key);
  }

  /** One entry, which whoever asked knows to be past. */
  forget(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#generation += 1;
    this.#loading.clear();
    this.#entries.clear();
  }
}
