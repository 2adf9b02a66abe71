const mostBlanks = 1_000;

/**
 * A map of what comes and goes with every request. A `Map` that is added to and deleted from makes its table anew every few
 * dozen changes, and the tables it leaves behind, with what stood in them, outlive many rounds of the garbage collector.
 * Here a place is emptied instead, and the table made anew once there are many empty ones.
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

  /** False when it was not there. */
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
