import type { Room } from './room.ts';
import { endSpending } from './spending.ts';
import { revokeExchangedBy } from './store/exchange.ts';
import { grantsTag } from './tags.ts';

/**
 * An application was suspended or deleted, by one write that made its own tokens void. This is about what follows from them: what
 * others had in exchange, and work that goes on by itself with what users let it spend.
 */
export async function endActing(
  deps: Pick<Room, 'db' | 'lookups' | 'announcements'>,
  applicationId: number,
): Promise<void> {
  for (const userId of await revokeExchangedBy(deps.db, applicationId))
    await deps.announcements.changed(grantsTag(userId));
  deps.lookups.forget();
  await endSpending(deps, applicationId);
}
