import type { Origin } from '../identity/audit/log.ts';
import { countMadeKeys, deleteMadeKeys, endAllowances } from '../identity/store/application-keys.ts';
import { AppError } from '../lib/errors.ts';
import { type Page, rangeOf } from '../platform/http/paging.ts';
import { grantsTag } from './announcement-tags.ts';
import type { OAuthContext } from './context.ts';
import { documentHost } from './registration/document.ts';
import { changeSpending, paysBy, type Spending, spentIn } from './spending.ts';
import { findApplication } from './store/applications.ts';
import { deleteGrant, findConsent, type ListedConsent, listConsents } from './store/consents.ts';

/** `spent` is undefined if the application may not spend. */
const consentView = (row: ListedConsent, keys: number, spent: number | undefined) => ({
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
  ...(keys > 0 && { keys }),
  ...(spent !== undefined && {
    spending_limit: row.spending_limit!,
    spending_window: row.spending_window,
    spent,
  }),
});

export async function consentsOf(deps: OAuthContext, userId: number, page: Page) {
  const { rows, total } = await listConsents(deps.db, userId, rangeOf(page));
  const spent = await spentIn(
    deps,
    rows.filter(({ scopes }) => paysBy(scopes)),
  );
  const keys = await countMadeKeys(
    deps.db,
    userId,
    rows.map(({ application_id }) => application_id),
  );
  const view = (row: ListedConsent) => consentView(row, keys.get(row.application_id) ?? 0, spent.get(row.id));
  return { consents: rows.map(view), total };
}

/**
 * Revokes the consent with all codes and tokens of the application for this user; optionally also the keys it created.
 */
export async function revokeConsent(
  deps: OAuthContext,
  user: { userId: number; origin: Origin },
  applicationId: number,
  keys: 'keep' | 'delete' = 'keep',
): Promise<void> {
  const application = await findApplication(deps.db, { id: applicationId });
  const gone = await deleteGrant(deps.db, user.userId, applicationId, async (tx) => ({
    allowances: await endAllowances(tx, applicationId, { userId: user.userId }),
    keys: keys === 'delete' ? await deleteMadeKeys(tx, user.userId, applicationId) : [],
  }));
  const ended = gone ? [...gone.also.allowances, ...gone.also.keys] : [];
  deps.lookups.forget();
  await deps.announcements.changed(grantsTag(user.userId));
  for (const keyId of ended) await deps.announcements.changed(`key:${keyId}`);
  if (!gone) throw new AppError('not_found', 'You have not authorized this application.');
  deps.audit.record('consent_revoked', user.origin, {
    application_id: applicationId,
    user_id: user.userId,
    metadata: { application_id: applicationId, ...(keys === 'delete' && { deleted_keys: gone.also.keys.length }) },
  });
  if (application) deps.webhooks.notify(application, 'consent_revoked', user.userId, { scopes: gone.scopes });
}

/** Changes the spending limit; what was spent counts. */
export async function changeLimit(
  deps: OAuthContext,
  user: { userId: number; origin: Origin },
  applicationId: number,
  spending: Spending,
): Promise<{ spending_limit: number; spending_window: string; spent: number }> {
  const before = await findConsent(deps.db, user.userId, applicationId);
  if (!before || !paysBy(before.scopes) || !(await changeSpending(deps, user.userId, applicationId, spending)))
    throw new AppError('not_found', 'You have not allowed this application to use models.');
  const { limit: spending_limit, window: spending_window } = spending;
  deps.audit.record('consent_limit_changed', user.origin, {
    application_id: applicationId,
    user_id: user.userId,
    metadata: { spending_limit, spending_window },
  });
  const spent = (await spentIn(deps, [{ id: before.id, spending_limit, spending_window }])).get(before.id) ?? 0;
  return { spending_limit, spending_window, spent };
}
