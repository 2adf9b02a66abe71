/**
 * Whoever waits for a server that no longer answers hears this in bounded time. The name begins as those of Bun's own lost
 * connections do, so whoever knows what to do about those does the same here.
 */
export class StalledError extends Error {
  readonly code = 'ERR_POSTGRES_CONNECTION_STALLED';

  /** `outcome`: how the statement ends after all, once the server goes on; null when it was never sent. */
  constructor(readonly outcome: Promise<unknown> | null) {
    super('the database server does not answer');
  }
}

interface Waiting {
  sinceMs: number;
  /** Nobody waits for it any more, but the server may still carry it out. */
  abandoned: boolean;
  abandon(): void;
}

export interface StallDeps {
  /** Whether the server answers somebody who comes anew. */
  answers(): Promise<boolean>;
  /** The server answers, but not those who waited: their connections are dead. */
  replaceConnections(): void;
  /** Hears what each statement failed with. */
  failed?(error: unknown): void;
  patienceMs?: number;
  /** How long connections that hang may hold up the others after the server has come back. */
  graceMs?: number;
  everyMs?: number;
}

/**
 * Tells a server that stands still from a statement that takes long: migrations and exports may run for minutes, as long as
 * the server answers somebody else meanwhile. While it does not, whoever waits is told, and who comes is turned away. It
 * ends when the server answers and every abandoned statement has come to its end: a retry must not overtake the statement it
 * repeats, or a hold given back would be taken after all.
 */
export class StallWatch {
  /** Who has waited longest comes first. A `Set` would leave old tables behind, with results long read in them. */
  readonly #waiting: Waiting[] = [];
  readonly #timer: Timer;
  #stalled = false;
  #asking = false;
  #answeredMs = Number.NEGATIVE_INFINITY;
  #backSinceMs: number | null = null;

  constructor(readonly deps: StallDeps) {
    this.#timer = setInterval(() => void this.#look(), deps.everyMs ?? 500);
    this.#timer.unref();
  }

  get stalled(): boolean {
    return this.#stalled;
  }

  /** `late` takes what arrives when nobody waits for it any more. */
  run<T>(start: () => Promise<T>, late?: (value: T) => Promise<unknown>): Promise<T> {
    if (this.#stalled) return Promise.reject(new StalledError(null));
    const real = start();
    return new Promise<T>((resolve, reject) => {
      const mine: Waiting = {
        sinceMs: performance.now(),
        abandoned: false,
        abandon: () => {
          mine.abandoned = true;
          reject(new StalledError(real));
        },
      };
      this.#waiting.push(mine);
      real.then(
        (value) => {
          if (mine.abandoned && late) void this.#untilOver(mine, late(value));
          else this.#forget(mine);
          resolve(value);
        },
        (error) => {
          this.#forget(mine);
          this.deps.failed?.(error);
          reject(error);
        },
      );
    });
  }

  /** Work that must end before anything else is sent, though nobody waits for it. */
  leave(work: Promise<unknown>): void {
    const mine: Waiting = { sinceMs: performance.now(), abandoned: true, abandon() {} };
    this.#waiting.push(mine);
    void this.#untilOver(mine, work);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #forget(mine: Waiting): void {
    const at = this.#waiting.indexOf(mine);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  async #untilOver(mine: Waiting, work: Promise<unknown>): Promise<void> {
    await work.catch(() => {});
    this.#forget(mine);
  }

  async #look(): Promise<void> {
    if (this.#asking || !(this.#stalled || this.#overdue())) return;
    this.#asking = true;
    const askedMs = performance.now();
    const answered = await this.deps.answers().catch(() => false);
    this.#asking = false;
    if (this.#stalled) this.#mayGoOn(answered);
    else if (answered) this.#answeredMs = performance.now();
    // It may have gone on in the meantime, and only those who came since are waiting.
    else if ((this.#waiting[0]?.sinceMs ?? askedMs) < askedMs) this.#giveUp();
  }

  #overdue(): boolean {
    const oldest = this.#waiting[0];
    if (!oldest) return false;
    return performance.now() - Math.max(oldest.sinceMs, this.#answeredMs) >= (this.deps.patienceMs ?? 2_000);
  }

  #giveUp(): void {
    this.#stalled = true;
    this.#backSinceMs = null;
    for (const waiting of this.#waiting) waiting.abandon();
  }

  #mayGoOn(answered: boolean): void {
    if (!answered) {
      this.#backSinceMs = null;
      return;
    }
    this.#backSinceMs ??= performance.now();
    if (this.#waiting.length > 0) {
      if (performance.now() - this.#backSinceMs < (this.deps.graceMs ?? 10_000)) return;
      this.#waiting.length = 0;
      this.deps.replaceConnections();
    }
    this.#stalled = false;
  }
}
