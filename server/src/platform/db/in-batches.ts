/** Rows of one delete: a sweep must never hold the writer for long. */
export const sweepBatch = 200;
/** A sweep that found a mountain goes on at its next turn. */
export const mostBatches = 500;

/** Repeats a delete of `sweepBatch` rows at most as long as it finds that many, with room for requests in between. */
export async function inBatches(step: () => Promise<number>): Promise<number> {
  let gone = 0;
  for (let i = 0; i < mostBatches; i += 1) {
    const count = await step();
    gone += count;
    if (count < sweepBatch) break;
    await new Promise(setImmediate);
  }
  return gone;
}
