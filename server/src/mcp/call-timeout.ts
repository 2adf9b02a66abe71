import { McpFault } from './fault.ts';

/** Users may need time to look something up, but a user who has left must not block the call forever. */
export const mostAskedMs = 10 * 60_000;

/** A server's time limit for its answer. It pauses while the client is asked, up to a total limit. */
export class CallTimeout {
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

  /** The server asked a question. */
  wait(): void {
    this.#open += 1;
    if (this.#open > 1) return;
    this.#askedSinceMs = this.nowMs();
    this.#again(this.#leftMs);
  }

  /** The question was answered; the server's time limit starts again. */
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
    const why = () => (this.#open > 0 ? 'no one answered its question' : 'it did not respond in time');
    return setTimeout(() => this.giveUp(new McpFault(why())), ms);
  }
}
