import { onePage, type PersonalData, rowsOf } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import { applicationStatus } from '../status.ts';
import './tables.ts';

export const exportOf = (db: Db, userId: number): PersonalData => ({
  applications: onePage(async () =>
    (await db.selectFrom('oauth_applications').selectAll().where('owner_id', '=', userId).execute()).map(
      ({ secret_hash: _, webhook_secret: __, epoch: ___, registration_hash: ____, ...application }) => ({
        ...application,
        redirect_uris: JSON.parse(application.redirect_uris),
        post_logout_redirect_uris: JSON.parse(application.post_logout_redirect_uris),
        token_exchange_clients: JSON.parse(application.token_exchange_clients),
        jwks: application.jwks === '' ? null : JSON.parse(application.jwks),
      }),
    ),
  ),
  consents: onePage(() =>
    db
      .selectFrom('oauth_consents as c')
      .innerJoin('oauth_applications as a', 'a.id', 'c.application_id')
      .select(['c.application_id', 'a.name', 'c.scopes', 'c.created_at', 'c.updated_at'])
      .select(['c.spending_limit', 'c.spending_window'])
      .where('c.user_id', '=', userId)
      .execute(),
  ),
  tokens: rowsOf(db, 'oauth_tokens', {
    of: { user_id: userId },
    columns: [
      ...(['id', 'application_id', 'scope', 'access_scope', 'access_expires_at', 'expires_at', 'revoked'] as const),
      ...(['created_at', 'last_used_at'] as const),
    ],
  }),
});

export async function grantsOf(db: Db, userId: number): Promise<number[]> {
  const rows = await db.selectFrom('oauth_consents').select('application_id').where('user_id', '=', userId).execute();
  return rows.map((row) => row.application_id);
}

export async function livingApplicationsOf(db: Db, userId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('oauth_applications')
    .select('id')
    .where('owner_id', '=', userId)
    .where('status', '<>', applicationStatus.deleted)
    .execute();
  return rows.map((row) => row.id);
}

/** Deletes what no consent covers any more, and personal data in rows that stay. */
export async function forget(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('oauth_codes').where('user_id', '=', userId).execute();
  await db.deleteFrom('oauth_device_codes').where('user_id', '=', userId).execute();
  await db.deleteFrom('oauth_tokens').where('user_id', '=', userId).execute();
  await db
    .updateTable('oauth_applications')
    .set({ description: '', homepage_url: '', logo_url: '', redirect_uris: '[]', webhook_url: '', webhook_secret: '' })
    .set({ post_logout_redirect_uris: '[]', backchannel_logout_uri: '', token_exchange_clients: '[]' })
    .set({ signs_assertions: 0, jwks: '', jwks_uri: '' })
    .where('owner_id', '=', userId)
    .where('status', '=', applicationStatus.deleted)
    .execute();
}
