import { AppError } from '../../../lib/errors.ts';
import { countRows } from '../../../platform/db/list-page.ts';
import type { Db } from '../../../platform/db/tables.ts';
import { withLock } from '../../../platform/db/with-lock.ts';
import './tables.ts';

/** A run takes minutes, rarely seconds, so retrying more often is pointless. */
const retryAfterSeconds = 30;

/** Throws 429 if the user already has this many running runs. */
export async function requireRunSlot(db: Db, userId: number, most: number): Promise<void> {
  const running = await countRows(
    db.selectFrom('ms_runs').where('user_id', '=', userId).where('status', '=', 'running'),
  );
  if (running < most) return;
  const words = `${running} execution${running === 1 ? '' : 's'} of yours`;
  throw new AppError('too_many_runs', `${words} run already. Wait until one ends, or cancel one.`, {
    headers: { 'retry-after': `${retryAfterSeconds}` },
    body: { error: 'too_many_runs' },
  });
}

/** Serializes a user's starts until the transaction ends, so that concurrent ones count each other. */
export async function lockRunSlots(tx: Db, userId: number, most: number): Promise<void> {
  await withLock(tx, 'runs', userId);
  await requireRunSlot(tx, userId, most);
}
