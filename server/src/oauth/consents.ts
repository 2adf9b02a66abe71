import type { Origin } from '../identity/audit/log.ts';
import { AppError } from '../lib/errors.ts';
import { offsetOf, type Page } from '../platform/http/paging.ts';
import { documentHost } from './registration/document.ts';
import type { Room } from './room.ts';
import { findApplication } from './store/applications.ts';
import { deleteGrant, type ListedConsent, listConsents } from './store/consents.ts';

export const consentView = (row: ListedConsent) => ({
  id: row.id,
  user_id: row.user_id,
  application_id: row.application_id,
  scopes: row.scopes,
  created_at: row.created_at,
  updated_at: row.updated_at,
  app_name: row.name,
  app_description: row.description,
  app_logo_url: row.logo_url,
  app_homepage_url: row.homepage_url,
  app_is_verified: row.is_verified === 1,
  app_host: documentHost(row),
});

export async function consentsOf(deps: Room, userId: number, page: Page) {
  const { rows, total } = await listConsents(deps.db, userId, page.page_size, offsetOf(page));
  return { consents: rows.map(consentView), total };
}

/** The consent, and with it every code and token the application has of this user. */
export async function revokeConsent(
  deps: Room,
  user: { userId: number; origin: Origin },
  applicationId: number,
): Promise<void> {
  const application = await findApplication(deps.db, { id: applicationId });
  const gone = await deleteGrant(deps.db, user.userId, applicationId);
  deps.lookups.forget();
  if (!gone) throw new AppError('not_found', 'You have not authorized this application.');
  deps.audit.record('consent_revoked', user.origin, {
    application_id: applicationId,
    user_id: user.userId,
    metadata: { application_id: applicationId },
  });
  if (application) deps.webhooks.notify(application, 'consent_revoked', user.userId, { scopes: gone.scopes });
}
