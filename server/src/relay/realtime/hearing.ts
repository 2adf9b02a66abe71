/** An upstream has a few utterances in progress; beyond this their ends are not remembered. */
const mostUtterances = 1_000;

/** How much of the sound that was sent has yet to be transcribed, in seconds. */
export class Hearing {
  #sent = 0;
  #over = 0;
  /** Where in the sound the last utterance ended. */
  #stoppedAt = 0;
  /** Seconds of each, with the silence before it, by item: transcripts need not arrive in their order. */
  readonly #utterances = new Map<string, number>();

  get seconds(): number {
    return this.#sent - this.#over;
  }

  sent(seconds: number): void {
    this.#sent += seconds;
  }

  /** The upstream found the end of an utterance: silence before it is not transcribed. */
  stopped(item: string, atSeconds: number): void {
    const at = Math.min(atSeconds, this.#sent);
    if (at <= this.#stoppedAt || this.#utterances.size >= mostUtterances) return;
    this.#utterances.set(item, (this.#utterances.get(item) ?? 0) + at - this.#stoppedAt);
    this.#stoppedAt = at;
  }

  /**
   * Without turn detection everything is transcribed, so the seconds add up. An upstream may round up or count more than
   * it was sent, but that never includes sound that follows.
   */
  transcribed(item: string, seconds: number): void {
    this.#over = Math.min(this.#sent, this.#over + (this.#utterances.get(item) ?? seconds));
    this.#utterances.delete(item);
  }
}
