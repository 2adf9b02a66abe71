/** Enough for what an upstream repeats; a session may have any number. */
const most = 100;

/** The latest responses or transcripts that are over, so that an event about one that is repeated costs nothing. */
export class Over {
  readonly #names = new Set<string>();

  has(name: string): boolean {
    return this.#names.has(name);
  }

  add(name: string): void {
    // Without an id they cannot be told apart.
    if (name === '') return;
    this.#names.add(name);
    const [oldest] = this.#names;
    if (this.#names.size > most) this.#names.delete(oldest!);
  }
}
