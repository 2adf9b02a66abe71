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
