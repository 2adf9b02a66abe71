/**
 * Thrown in bounded time if the server no longer answers. The code has the prefix of Bun's own lost connections, so
 * that callers handle it the same way.
 */
export class StalledError extends Error {
  readonly code = 'ERR_POSTGRES_CONNECTION_STALLED';

  /** `outcome` is how the statement ends after all, once the server continues; null if it was never sent. */
  constructor(readonly outcome: Promise<unknown> | null) {
    super('the database server does not respond');
  }
}

interface Waiting {
  sinceMs: number;
  /** The caller has given up, but the server may still execute it. */
  abandoned: boolean;
  abandon(): void;
}

export interface StallDeps {
  /** Whether the server answers on a new connection. */
  answers(): Promise<boolean>;
  /** The server answers, but the waiting statements' connections are dead. */
  replaceConnections(): void;
  /** Called with the error of each failed statement. */
  failed?(error: unknown): void;
  patienceMs?: number;
  /** How long hanging connections may delay others after the server is back. */
  graceMs?: number;
  everyMs?: number;
}

/**
 * Tells a hanging server from a slow statement: migrations and exports may run for minutes, as long as the server
 * answers on another connection. While it does not, waiting statements fail and new ones are rejected. That ends when
 * the server answers and every abandoned statement has finished: a retry must not overtake the statement it repeats, or
 * a hold that was released could be taken after all.
 */
export class StallWatch {
  /** Longest waiting first. A `Set` would retain old tables with results that were already read. */
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

  /** `late` receives the result if it arrives after the caller has given up. */
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

  /** Work without a caller that must finish before anything else is sent. */
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
    // Its statements may have finished meanwhile: give up only those that waited before the probe.
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
