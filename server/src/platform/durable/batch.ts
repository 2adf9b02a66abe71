/** A larger batch would hold SQLite's synchronous writer for longer than a stream should wait. */
const mostPerBatch = 256;

/** Items written together. They share one promise, which is cheaper than one per item. */
class Batch<I, O> {
  readonly items: I[] = [];
  readonly done = Promise.withResolvers<(O | Error)[]>();
}

/**
 * Group commit: items that arrive in one turn of the event loop, or while the previous batch is being written, are
 * written together. `run` returns results in the order of its items, with an Error for an item that fails alone; if it
 * throws, every item of the batch gets the error.
 */
export class Batcher<I, O> {
  readonly #waiting: Batch<I, O>[] = [];
  #scheduled = false;
  #idle: (() => void)[] = [];

  constructor(readonly run: (items: I[]) => (O | Error)[] | Promise<(O | Error)[]>) {}

  add(item: I): Promise<O> {
    let batch = this.#waiting.at(-1);
    if (!batch || batch.items.length === mostPerBatch) {
      batch = new Batch();
      this.#waiting.push(batch);
    }
    const at = batch.items.push(item) - 1;
    if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => void this.#drain());
    }
    return batch.done.promise.then((outputs) => {
      const output = outputs[at]!;
      if (output instanceof Error) throw output;
      return output;
    });
  }

  /** Resolves once the queue is empty, including what is added in the meantime. */
  idle(): Promise<void> {
    return this.#scheduled ? new Promise((resolve) => this.#idle.push(resolve)) : Promise.resolve();
  }

  async #drain(): Promise<void> {
    for (let batch = this.#waiting.shift(); batch; batch = this.#waiting.shift()) {
      try {
        const running = this.run(batch.items);
        batch.done.resolve(running instanceof Promise ? await running : running);
      } catch (error) {
        batch.done.reject(error);
      }
    }
    this.#scheduled = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

interface WriteBehindOptions {
  everyMs: number;
  /** The pause after a failure; `everyMs` by default. */
  retryMs?: number;
  /** Writes what is pending. If it throws, it has either put the data back or given it up. */
  write(): void | Promise<void>;
  failed(error: unknown): void;
}

/** Write-behind: schedules a write a moment later, runs one write at a time, and retries after a failure. */
export class WriteBehind {
  #timer: Timer | null = null;
  #writing: Promise<void> | null = null;

  constructor(readonly options: WriteBehindOptions) {}

  soon(ms = this.options.everyMs): void {
    if (this.#timer) return;
    this.#timer = setTimeout(this.#flushNow, ms);
    this.#timer.unref();
  }

  readonly #flushNow = (): void => void this.flush();

  /** Writes without the usual delay, when much is pending. */
  now(): void {
    if (this.#writing) this.soon();
    else void this.flush();
  }

  /** Never rejects: everything pending is written, or `failed` was called. */
  async flush(): Promise<void> {
    this.#disarm();
    const mine = (this.#writing ?? Promise.resolve()).then(() => this.#write());
    this.#writing = mine;
    await mine;
    if (this.#writing === mine) this.#writing = null;
  }

  async stop(): Promise<void> {
    await this.flush();
    this.#disarm();
  }

  #disarm(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #write(): Promise<void> {
    try {
      await this.options.write();
    } catch (error) {
      this.options.failed(error);
      this.soon(this.options.retryMs);
    }
  }
}

interface RowBufferOptions<T> {
  everyMs: number;
  retryMs?: number;
  /** Rows per write; a write starts as soon as this many are pending. */
  atOnce: number;
  /** Rows buffered while the database is unavailable; beyond this the oldest are dropped. */
  mostWaiting: number;
  write(rows: T[]): void | Promise<void>;
  /** Called with rows that could not be written; return true to retry them. */
  failed(error: unknown, rows: T[]): boolean;
  lost?(rows: number): void;
}

/** Write-behind of rows, in order. */
export class RowBuffer<T> {
  #rows: T[] = [];
  readonly #behind: WriteBehind;

  constructor(readonly options: RowBufferOptions<T>) {
    this.#behind = new WriteBehind({ ...options, write: () => this.#write(), failed: () => {} });
  }

  add(row: T): void {
    const { atOnce, mostWaiting, lost } = this.options;
    const waiting = this.#rows.push(row);
    if (waiting > mostWaiting) {
      this.#rows.splice(0, atOnce);
      lost?.(atOnce);
    }
    if (waiting >= atOnce) this.#behind.now();
    else this.#behind.soon();
  }

  flush(): Promise<void> {
    return this.#behind.flush();
  }

  stop(): Promise<void> {
    return this.#behind.stop();
  }

  async #write(): Promise<void> {
    const { atOnce, write, failed } = this.options;
    while (this.#rows.length > 0) {
      const rows = this.#rows.splice(0, atOnce);
      try {
        await write(rows);
      } catch (error) {
        if (failed(error, rows)) this.#rows = [...rows, ...this.#rows];
        throw error;
      }
    }
  }
}

/** Buffers when rows of a table were last used; writes the latest time of each every few seconds. */
export class LastUsed {
  #seen = new Map<number, number>();
  readonly #behind: WriteBehind;

  constructor(write: (seen: [id: number, time: number][]) => Promise<void>, failed: (error: unknown) => void) {
    this.#behind = new WriteBehind({
      everyMs: 5_000,
      write: () => {
        const seen = [...this.#seen];
        this.#seen = new Map();
        return write(seen);
      },
      failed,
    });
  }

  saw(id: number, time: number): void {
    this.#seen.set(id, time);
    this.#behind.soon();
  }

  stop(): Promise<void> {
    return this.#behind.stop();
  }
}
