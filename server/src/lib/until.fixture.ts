const firstPauseMs = 10;
const longestPauseMs = 500;

/**
 * Waits for something that comes about by itself. How long it takes is the machine's business; what is not so after most of
 * a minute never will be. Looks less and less often: endpoints that are asked have limits per minute.
 */
export async function until(what: string, holds: () => boolean | Promise<boolean>, giveUpMs = 50_000): Promise<void> {
  const deadline = performance.now() + giveUpMs;
  for (let pauseMs = firstPauseMs; !(await holds()); pauseMs = Math.min(longestPauseMs, pauseMs * 1.25)) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await Bun.sleep(pauseMs);
  }
}
