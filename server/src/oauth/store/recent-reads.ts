/** Tokens in steady use at a small site; others are simply read again. */
const most = 1_000;
/** Changes made to the file by another program are seen after this. */
const longestMs = 1_000;

/** Cached reads, until invalidated, for a second at most. Caches nothing if other processes write, too. */
export class RecentReads<K, V> {
  readonly #known = new Map<K, V>();
  #since = 0;

  constructor(readonly soleWriter: boolean) {}

  get(key: K): V | undefined {
    this.#expire();
    return this.#known.get(key);
  }

  /** Must be called in the same turn as the read: a value read before a change must not be cached after it. */
  set(key: K, value: V): void {
    if (!this.soleWriter) return;
    this.#expire();
    if (this.#known.size >= most) this.#known.clear();
    this.#known.set(key, value);
  }

  delete(key: K): void {
    this.#known.delete(key);
  }

  clear(): void {
    this.#known.clear();
  }

  #expire(): void {
    const now = performance.now();
    if (now - this.#since < longestMs) return;
    this.#known.clear();
    this.#since = now;
  }
}
