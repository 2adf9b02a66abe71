import { McpFault } from './fault.ts';

/** A person may look something up before they answer; whoever has left would otherwise be waited for for ever. */
export const mostAskedMs = 10 * 60_000;

/** The time that a server has for its answer. It does not run while the client is asked, for as long as that may take in all. */
export class Patience {
  readonly #controller = new AbortController();
  #timer: Timer;
  #open = 0;
  #askedSinceMs = 0;
  #leftMs = mostAskedMs;
  #ended = false;

  constructor(
    private readonly timeoutMs: number,
    private readonly nowMs: () => number,
  ) {
    this.#timer = this.#in(timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something was asked. */
  wait(): void {
    this.#open += 1;
    if (this.#open > 1) return;
    this.#askedSinceMs = this.nowMs();
    this.#again(this.#leftMs);
  }

  /** It was answered, and the server has its time once more. */
  goOn(): void {
    this.#open -= 1;
    if (this.#open > 0) return;
    this.#leftMs = Math.max(0, this.#leftMs - (this.nowMs() - this.#askedSinceMs));
    this.#again(this.timeoutMs);
  }

  giveUp(why: McpFault): void {
    this.#controller.abort(why);
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #again(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#ended) this.#timer = this.#in(ms);
  }

  #in(ms: number): Timer {
    const why = () => (this.#open > 0 ? 'nobody answered what it asked' : 'it did not answer in time');
    return setTimeout(() => this.giveUp(new McpFault(why())), ms);
  }
}
