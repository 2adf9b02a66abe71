/** Well below what anybody would notice, and long enough that turns cost nothing. */
const turnMs = 10;

/** A long work gives everybody else a turn whenever it has taken a while. */
export class Turns {
  #sinceMs = performance.now();

  get due(): boolean {
    return performance.now() - this.#sinceMs >= turnMs;
  }

  async give(): Promise<void> {
    await new Promise((next) => setImmediate(next));
    this.#sinceMs = performance.now();
  }
}

/** The work on each of many items, in turns. */
export async function inTurns<I, O>(items: readonly I[], work: (item: I, index: number) => O): Promise<O[]> {
  const turns = new Turns();
  const results: O[] = [];
  for (const [index, item] of items.entries()) {
    results.push(work(item, index));
    if (turns.due) await turns.give();
  }
  return results;
}
