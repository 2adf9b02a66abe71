import { grantsTag } from './announcement-tags.ts';
import type { OAuthContext } from './context.ts';
import { endSpending } from './spending.ts';
import { revokeExchangedBy } from './store/exchange.ts';

/**
 * Follow-up of suspending or deleting an application, which invalidated its own tokens in one write: ends tokens that
 * others got in exchange, and background work that spends what users allowed.
 */
export async function endAccess(
  deps: Pick<OAuthContext, 'db' | 'lookups' | 'announcements'>,
  applicationId: number,
): Promise<void> {
  for (const userId of await revokeExchangedBy(deps.db, applicationId))
    await deps.announcements.changed(grantsTag(userId));
  deps.lookups.forget();
  await endSpending(deps, applicationId);
}
