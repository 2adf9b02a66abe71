/**
 * The headers of a route's last answer. Making headers out of names and values costs more than the rest of a small answer,
 * and most are the same as last time: what differs is set, and the answer takes a copy.
 */
export class LastHeaders {
  #headers = new Headers();
  #values: Record<string, string> = Object.create(null);
  #count = 0;

  /** Good until the next call. */
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
    // Something of last time is not there now.
    if (count !== this.#count) this.#startAnew(values, count);
    return this.#headers;
  }

  #startAnew(values: Record<string, string>, count: number): void {
    this.#headers = new Headers(values);
    this.#values = Object.assign(Object.create(null), values);
    this.#count = count;
  }
}
