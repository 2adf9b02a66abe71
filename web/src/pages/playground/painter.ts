/** Each chunk re-reads the end of the text as Markdown: at most this often, and no more than half of the time. */
const paintEveryMs = 50;

/** Paints when asked to, with rests as long as painting took: a long answer on a slow machine must leave time for a click on Stop. */
export function painter(paint: () => void): () => void {
  let resting = false;
  let missed = false;
  return function wanted(): void {
    missed = resting;
    if (resting) return;
    resting = true;
    const begun = performance.now();
    paint();
    const rested = () => {
      resting = false;
      if (missed) wanted();
    };
    // Timers run when it is painted.
    setTimeout(() => setTimeout(rested, Math.max(paintEveryMs, performance.now() - begun)));
  };
}
