/** An unordered set whose items come and go with every request; see `ChurnMap` for why a `Set` will not do. */
export class ChurnSet<T extends object> implements Iterable<T> {
  readonly #items: T[] = [];

  add(item: T): void {
    this.#items.push(item);
  }

  /** Removes one occurrence. */
  delete(item: T): void {
    const at = this.#items.lastIndexOf(item);
    if (at < 0) return;
    const last = this.#items.pop()!;
    if (at < this.#items.length) this.#items[at] = last;
  }

  /** A snapshot, whatever is added or removed meanwhile. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.#items][Symbol.iterator]();
  }
}
