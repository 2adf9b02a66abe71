const mostBlanks = 1_000;

/**
 * A map whose entries come and go with every request. A `Map` rebuilds its table every few dozen changes, and the old
 * tables keep their entries alive through many garbage collections. This one empties slots instead, and rebuilds only
 * when many are empty.
 */
export class ChurnMap<V extends object> {
  #entries = new Map<string, V | null>();
  #blanks = 0;

  get size(): number {
    return this.#entries.size - this.#blanks;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key) ?? undefined;
  }

  set(key: string, value: V): void {
    if (this.#entries.get(key) === null) this.#blanks -= 1;
    this.#entries.set(key, value);
  }

  /** False if it was absent. */
  delete(key: string): boolean {
    if (!this.#entries.get(key)) return false;
    this.#entries.set(key, null);
    this.#blanks += 1;
    if (this.#blanks > mostBlanks && this.#blanks > this.size) this.#tidy();
    return true;
  }

  #tidy(): void {
    const kept = new Map<string, V | null>();
    for (const [key, value] of this.#entries) if (value) kept.set(key, value);
    this.#entries = kept;
    this.#blanks = 0;
  }
}
