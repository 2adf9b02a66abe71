/**
 * Waits for something that comes about by itself. How long it takes is the machine's business; what is not so after most of
 * a minute never will be.
 */
export async function until(what: string, holds: () => boolean | Promise<boolean>, giveUpMs = 50_000): Promise<void> {
  const deadline = performance.now() + giveUpMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await Bun.sleep(10);
  }
}
