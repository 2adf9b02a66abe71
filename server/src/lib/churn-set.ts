/** A set of what comes and goes with every request, in no order; why a `Set` will not do is told with `ChurnMap`. */
export class ChurnSet<T extends object> implements Iterable<T> {
  readonly #items: T[] = [];

  add(item: T): void {
    this.#items.push(item);
  }

  /** Once, where it was added twice. */
  delete(item: T): void {
    const at = this.#items.lastIndexOf(item);
    if (at < 0) return;
    const last = this.#items.pop()!;
    if (at < this.#items.length) this.#items[at] = last;
  }

  /** Those of now, whatever comes or goes meanwhile. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.#items][Symbol.iterator]();
  }
}
