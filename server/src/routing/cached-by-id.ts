import type { Clock } from '../lib/clock.ts';
import type { CacheSync } from '../platform/shared/cache-sync.ts';
import type { Shared } from '../platform/shared/port.ts';

interface CacheDeps<V> {
  /** The channel on which changes are announced. */
  channel: string;
  load(id: number): Promise<V>;
  clock: Clock;
  shared: Shared;
  cacheSync: CacheSync;
}

interface CacheEntry<V> {
  value: V;
  readMs: number;
}

/** Changes are announced; the expiry only covers lost announcements. Shorter while none can arrive. */
const lifeMs = 300_000;
const lifeWithoutNewsMs = 5_000;
const most = 20_000;

/**
 * Cached rows of users or teams that each of their requests needs. Invalidated by messages, completely after a
 * reconnect.
 */
export class CachedById<V> {
  readonly #entries = new Map<number, CacheEntry<V>>();
  readonly #loading = new Map<number, Promise<V>>();
  #unsubscribe: (() => Promise<void>) | undefined;

  constructor(readonly deps: CacheDeps<V>) {}

  async subscribe(): Promise<void> {
    const { shared, cacheSync, channel } = this.deps;
    const forgetAll = () => {
      this.#entries.clear();
      this.#loading.clear();
    };
    this.#unsubscribe = await shared.subscribe(channel, (message) => this.#forget(Number(message)), forgetAll);
    cacheSync.onGap(forgetAll);
  }

  /** Synchronous if the row is cached. */
  get(id: number): V | Promise<V> {
    const held = this.#entries.get(id);
    const { clock, cacheSync } = this.deps;
    if (held && clock.steadyMs() - held.readMs < (cacheSync.heard() ? lifeMs : lifeWithoutNewsMs)) return held.value;
    return this.#loading.get(id) ?? this.#load(id, held);
  }

  /** Call after a change was committed. */
  async changed(id: number): Promise<void> {
    this.#forget(id);
    // Without Redis other processes see the change when their copy expires.
    await this.deps.shared.publish(this.deps.channel, String(id)).catch(() => {});
  }

  async close(): Promise<void> {
    await this.#unsubscribe?.();
  }

  #forget(id: number): void {
    this.#entries.delete(id);
    // A read in progress may have seen the old row: return it, but do not cache it.
    this.#loading.delete(id);
  }

  #load(id: number, stale: CacheEntry<V> | undefined): Promise<V> {
    const { clock, load } = this.deps;
    const readMs = clock.steadyMs();
    const loading: Promise<V> = load(id).then(
      (value) => {
        if (this.#loading.get(id) === loading) this.#keep(id, value, readMs);
        return value;
      },
      (error) => {
        if (this.#loading.get(id) === loading) this.#loading.delete(id);
        // While the database is unavailable, a slightly stale value is better than an error.
        if (stale) return stale.value;
        throw error;
      },
    );
    this.#loading.set(id, loading);
    return loading;
  }

  #keep(id: number, value: V, readMs: number): void {
    this.#loading.delete(id);
    this.#entries.delete(id);
    this.#entries.set(id, { value, readMs });
    if (this.#entries.size > most) this.#entries.delete(this.#entries.keys().next().value!);
  }
}
