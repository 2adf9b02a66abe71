/**
 * Reuses the headers of a route's last answer. Creating Headers from names and values costs more than the rest of a
 * small answer, and most values are the same as last time: only differences are set, and the answer takes a copy.
 */
export class LastHeaders {
  #headers = new Headers();
  #values: Record<string, string> = Object.create(null);
  #count = 0;

  /** Valid until the next call. */
  of(values: Record<string, string>): Headers {
    let count = 0;
    for (const name in values) {
      count += 1;
      const value = values[name]!;
      const last = this.#values[name];
      if (last === value) continue;
      this.#headers.set(name, value);
      if (last === undefined) this.#count += 1;
      this.#values[name] = value;
    }
    // A header of the last answer is absent now.
    if (count !== this.#count) this.#startAnew(values, count);
    return this.#headers;
  }

  #startAnew(values: Record<string, string>, count: number): void {
    this.#headers = new Headers(values);
    this.#values = Object.assign(Object.create(null), values);
    this.#count = count;
  }
}
