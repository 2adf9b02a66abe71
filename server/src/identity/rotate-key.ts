import { z } from 'zod';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { type KeyDeps, type KeyMaker, type KeyView, keyView, newSecret } from './keys.ts';
import { endOldSecret, replaceSecret } from './store/keys.ts';

/** Longer overlaps amount to two keys. */
const longestOverlapSeconds = 30 * 86_400;

export const rotationSchema = z.strictObject({
  overlap_seconds: z
    .number()
    .int()
    .min(0)
    .max(longestOverlapSeconds)
    .default(86_400)
    .describe('How long the previous secret remains valid; only the most recent previous secret does'),
});

/** A new secret, returned only here. Quota, limits and usage stay with the key, whichever secret is used. */
export async function rotateKey(
  { db, clock, announcements }: KeyDeps,
  { userId, sessionId }: KeyMaker,
  id: number,
  { overlap_seconds }: z.infer<typeof rotationSchema>,
): Promise<KeyView> {
  const now = nowSeconds(clock);
  const { secret, columns } = newSecret();
  const oldEndsAt = overlap_seconds === 0 ? null : now + overlap_seconds;
  const row = await replaceSecret(db, { userId, id, sessionId }, columns, oldEndsAt);
  if (!row) throw new AppError('not_found', 'There is no such API key.');
  await announcements.changed(`key:${id}`);
  return { ...keyView(row, now), key: secret };
}

/** Invalidates the previous secret. */
export async function endOverlap({ db, clock, announcements }: KeyDeps, userId: number, id: number): Promise<void> {
  if (!(await endOldSecret(db, userId, id, nowSeconds(clock))))
    throw new AppError('not_found', 'This API key has no previous secret that is still valid.');
  await announcements.changed(`key:${id}`);
}
