import { AppError } from '../lib/errors.ts';
import type { TopUpDeps } from './deps.ts';

/** Rate limits attempts; `what` names the action in the error message. */
export async function countAttempt(
  shared: TopUpDeps['shared'],
  name: string,
  { most, windowMs }: { most: number; windowMs: number },
  what: string,
): Promise<void> {
  const { allowed, resetMs } = await shared.hit(name, most, windowMs);
  if (allowed) return;
  throw new AppError('rate_limit_exceeded', `Too many attempts with ${what}. Try again later.`, {
    headers: { 'retry-after': `${Math.ceil(resetMs / 1000)}` },
  });
}
