/** Past this a batch holds the synchronous SQLite writer for longer than a stream should wait. */
const mostPerBatch = 256;

/** What is written together. One promise for all, instead of one for each with functions to settle it. */
class Batch<I, O> {
  readonly items: I[] = [];
  readonly done = Promise.withResolvers<(O | Error)[]>();
}

/**
 * Group commit: what arrives in one turn of the event loop, or while the batch before is under way, is written together.
 * `run` answers in the order of its items, with an error for an item that fails alone; when it throws, every item of the
 * batch gets the error.
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

  /** Resolves once everything added so far, and what was added meanwhile, has been written. */
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
  /** The pause after a failure; `everyMs` unless given. */
  retryMs?: number;
  /** Writes what waits; what it throws has been put back by itself or is given up. */
  write(): void | Promise<void>;
  failed(error: unknown): void;
}

/** Write-behind: what is noted is written a moment later, one write at a time, and tried again after a failure. */
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

  /** For when so much waits that the pause would be too long. */
  now(): void {
    if (this.#writing) this.soon();
    else void this.flush();
  }

  /** Never rejects: what was noted before is written, or was refused and `failed` was told. */
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

interface RowsBehindOptions<T> {
  everyMs: number;
  retryMs?: number;
  /** Rows of one write; as soon as so many wait they are written. */
  atOnce: number;
  /** While the database is away rows wait in memory; past this the oldest go. */
  mostWaiting: number;
  write(rows: T[]): void | Promise<void>;
  /** Of rows that could not be written; true keeps them for the next try. */
  failed(error: unknown, rows: T[]): boolean;
  lost?(rows: number): void;
}

/** Write-behind of rows, in order. */
export class RowsBehind<T> {
  #rows: T[] = [];
  readonly #behind: WriteBehind;

  constructor(readonly options: RowsBehindOptions<T>) {
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

/** When rows of a table were last used: the last time of each, written every few seconds. */
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
