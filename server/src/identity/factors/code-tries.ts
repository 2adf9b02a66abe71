import { AppError } from '../../lib/errors.ts';
import type { Shared } from '../../platform/shared/port.ts';

export const codeWindowMs = 15 * 60_000;

/** Counted before the code is checked, so that concurrent attempts cannot slip through; throws above `most`. */
export async function countCodeTry(shared: Shared, key: string, most: number): Promise<void> {
  const tries = await shared.increment(key, 1, codeWindowMs);
  if (tries > most)
    throw new AppError('rate_limit_exceeded', 'Too many wrong codes. Try again in 15 minutes.', {
      headers: { 'retry-after': `${codeWindowMs / 1000}` },
    });
}
