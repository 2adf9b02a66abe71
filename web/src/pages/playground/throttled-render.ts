/**
 * Every chunk parses the end of the text as Markdown again: render at most this often, and for at most half of the
 * time.
 */
const paintEveryMs = 50;

/**
 * Throttles rendering and pauses for as long as a render took, so that a click on Stop gets through even if a long
 * answer renders slowly.
 */
export function throttledRender(paint: () => void): () => void {
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
    // The inner timer starts only after the browser has painted.
    setTimeout(() => setTimeout(rested, Math.max(paintEveryMs, performance.now() - begun)));
  };
}
