/** As many tokens as are in steady use at a small site; more are read again, which is no harm. */
const most = 1_000;
/** What an administrator's command, a process of its own, changes in the file is seen after this. */
const longestMs = 1_000;

/**
 * What was read since anything was last written. SQLite has one writing process and counts what it writes, so as long as
 * the count stands still, what was read is still so: nothing needs to be announced, and nothing can be forgotten to be.
 */
export class RecentReads<V> {
  readonly #known = new Map<string, V>();
  #stamp: number | null = null;
  #since = 0;

  /** `written` is null while a transaction is open, whose changes are counted before they hold. */
  constructor(readonly written: () => number | null) {}

  get(key: string): V | undefined {
    this.#forget();
    return this.#known.get(key);
  }

  /** To be called in the same turn as the read itself. */
  set(key: string, value: V): void {
    this.#forget();
    if (this.#stamp === null) return;
    if (this.#known.size >= most) this.#known.clear();
    this.#known.set(key, value);
  }

  #forget(): void {
    const stamp = this.written();
    const now = performance.now();
    if (stamp !== null && stamp === this.#stamp && now - this.#since < longestMs) return;
    this.#known.clear();
    this.#stamp = stamp;
    this.#since = now;
  }
}
