import { afterAll, beforeAll, jest } from 'bun:test';

/**
 * For a file whose tests are about time: it stands still until `pass` moves it, for timers, sleeps, `Date` and
 * `performance` alike. Sockets, files and databases go on by themselves meanwhile.
 */
export function holdTime(): void {
  beforeAll(() => void jest.useFakeTimers());
  afterAll(() => void jest.useRealTimers());
}

/** Time passes in small steps, with a moment after each for what it set off. */
export async function pass(ms: number, stepMs = 50): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    jest.advanceTimersByTime(Math.min(stepMs, left));
    await moment();
  }
}

/** What was set off and waits for nothing outside is done. */
export async function moment(): Promise<void> {
  for (let i = 0; i < 5; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Processor time after which something that sockets and files bring about will not come any more. */
const patienceMicros = 20_000_000;

/** `until` for held time, which does not pass meanwhile. */
export async function untilHeld(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const before = process.cpuUsage();
  while (!(await holds())) {
    const { user, system } = process.cpuUsage(before);
    if (user + system > patienceMicros) throw new Error(`waited in vain until ${what}`);
    await moment();
  }
}

/** Time passes until something is so. */
export async function passUntil(what: string, holds: () => boolean, stepMs = 5): Promise<void> {
  for (let steps = 0; !holds(); steps += 1) {
    if (steps > 10_000) throw new Error(`waited in vain until ${what}`);
    await pass(stepMs, stepMs);
  }
}
