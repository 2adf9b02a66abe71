/** Short enough to go unnoticed, long enough that yielding costs nothing. */
const turnMs = 10;

/** Lets long work yield to the event loop after a while. */
export class YieldTimer {
  #sinceMs = performance.now();

  get due(): boolean {
    return performance.now() - this.#sinceMs >= turnMs;
  }

  async give(): Promise<void> {
    await new Promise((next) => setImmediate(next));
    this.#sinceMs = performance.now();
  }
}

/** Works on many items, yielding in between. */
export async function mapYielding<I, O>(items: readonly I[], work: (item: I, index: number) => O): Promise<O[]> {
  const turns = new YieldTimer();
  const results: O[] = [];
  for (const [index, item] of items.entries()) {
    results.push(work(item, index));
    if (turns.due) await turns.give();
  }
  return results;
}
