import { nowhere } from '../identity/audit/log.ts';
import { deleteApplication } from './applications.ts';
import { revokeConsent } from './consents.ts';
import type { OAuthContext } from './context.ts';
import { forget, grantsOf, livingApplicationsOf } from './store/account-data.ts';

/** Consents and applications end as if the user had revoked and deleted them, so that applications are notified. */
export async function forgetUser(room: OAuthContext, userId: number): Promise<void> {
  const user = { userId, origin: nowhere };
  for (const applicationId of await grantsOf(room.db, userId)) await revokeConsent(room, user, applicationId);
  for (const id of await livingApplicationsOf(room.db, userId)) await deleteApplication(room, user, id);
  await forget(room.db, userId);
  room.lookups.forget();
  await room.origins.changed();
}
