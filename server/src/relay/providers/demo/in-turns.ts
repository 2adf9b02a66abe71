/** Well below what anybody would notice, and long enough that turns cost nothing. */
const turnMs = 10;

/** The work on each of many texts, with a turn for other requests whenever it has taken a while. */
export async function inTurns<I, O>(items: readonly I[], work: (item: I, index: number) => O): Promise<O[]> {
  const results: O[] = [];
  let sinceMs = performance.now();
  for (const [index, item] of items.entries()) {
    results.push(work(item, index));
    if (performance.now() - sinceMs < turnMs) continue;
    await new Promise((next) => setImmediate(next));
    sinceMs = performance.now();
  }
  return results;
}
