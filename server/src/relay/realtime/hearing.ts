/** An upstream has a few utterances in progress; beyond this their ends are not remembered. */
const mostStops = 1_000;

/** How much of the sound that was sent has yet to be transcribed, in seconds. */
export class Hearing {
  #sent = 0;
  #over = 0;
  #transcribed = 0;
  /** Where in the sound an utterance ended, by item. */
  readonly #stops = new Map<string, number>();

  get seconds(): number {
    return Math.max(0, this.#sent - this.#over);
  }

  sent(seconds: number): void {
    this.#sent += seconds;
  }

  /** The upstream found the end of an utterance: silence before it is not transcribed. */
  stopped(item: string, atSeconds: number): void {
    if (this.#stops.size < mostStops) this.#stops.set(item, atSeconds);
  }

  /** Without turn detection everything is transcribed, so the seconds add up. */
  transcribed(item: string, seconds: number): void {
    this.#transcribed += seconds;
    this.#over = Math.max(this.#over, this.#transcribed, this.#stops.get(item) ?? 0);
    this.#stops.delete(item);
  }
}
