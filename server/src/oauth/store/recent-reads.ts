/** As many tokens as are in steady use at a small site; more are read again, which is no harm. */
const most = 1_000;
/** A change that nobody told of, made in the file by another program, is seen after this. */
const longestMs = 1_000;

/** What was read, until it is said to have changed, for a second at most. Keeps nothing where other processes write too. */
export class RecentReads<K, V> {
  readonly #known = new Map<K, V>();
  #since = 0;

  constructor(readonly soleWriter: boolean) {}

  get(key: K): V | undefined {
    this.#expire();
    return this.#known.get(key);
  }

  /** To be called in the same turn as the read itself: what is read before a change must not be kept after it. */
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
