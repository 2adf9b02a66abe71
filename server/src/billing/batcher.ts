interface Entry<I, O> {
  item: I;
  resolve(output: O): void;
  reject(error: unknown): void;
}

/** Past this a batch holds the synchronous SQLite writer for longer than a stream should wait. */
const mostPerBatch = 256;

/**
 * Group commit: what arrives in one turn of the event loop, or while the batch before is under way, is written together.
 * `run` answers in the order of its items, with an error for an item that fails alone; when it throws, every item of the
 * batch gets the error.
 */
export class Batcher<I, O> {
  #waiting: Entry<I, O>[] = [];
  #scheduled = false;
  #idle: (() => void)[] = [];

  constructor(readonly run: (items: I[]) => (O | Error)[] | Promise<(O | Error)[]>) {}

  add(item: I): Promise<O> {
    return new Promise<O>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      setImmediate(() => void this.#drain());
    });
  }

  /** Resolves once everything added so far, and what was added meanwhile, has been written. */
  idle(): Promise<void> {
    return this.#scheduled ? new Promise((resolve) => this.#idle.push(resolve)) : Promise.resolve();
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, mostPerBatch);
      try {
        const running = this.run(batch.map((entry) => entry.item));
        const outputs = running instanceof Promise ? await running : running;
        for (let i = 0; i < batch.length; i += 1) {
          const output = outputs[i]!;
          if (output instanceof Error) batch[i]!.reject(output);
          else batch[i]!.resolve(output);
        }
      } catch (error) {
        for (const entry of batch) entry.reject(error);
      }
    }
    this.#scheduled = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
