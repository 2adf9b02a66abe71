import { onePage, type PersonalData } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import { auditOf } from '../audit/account-data-store.ts';
import { identitiesOf } from '../sign-in/store/identities.ts';
import { deleteFactors, factorsOf } from './factors.ts';
import { listKeys } from './keys.ts';
import { deleteLanguageOf, languageOf } from './languages.ts';
import { deleteNoticesOf, listNotices } from './notices.ts';
import { findUser } from './users.ts';

export const exportOf = (db: Db, userId: number): PersonalData => ({
  account: onePage(async () => {
    const user = await findUser(db, userId);
    return user ? [{ ...user, language: await languageOf(db, userId) }] : [];
  }),
  login_sessions: onePage(() =>
    db
      .selectFrom('sessions')
      .select(['id', 'ip', 'user_agent', 'created_at', 'last_seen_at', 'expires_at'])
      .where('user_id', '=', userId)
      .execute(),
  ),
  linked_accounts: onePage(async () =>
    (await identitiesOf(db, userId)).map(({ id, slug, name, label, created_at, last_used_at, vouches }) => ({
      ...{ id, provider: slug, provider_name: name, label, created_at, last_used_at, vouches: vouches === 1 },
    })),
  ),
  second_factors: onePage(async () => [await factorsOf(db, userId)]),
  api_keys: onePage(async () =>
    (await listKeys(db, userId)).map(({ key_hash: _, user_id: __, old_hash: ___, ...key }) => ({
      ...key,
      models: JSON.parse(key.models),
      allowed_ips: JSON.parse(key.allowed_ips),
    })),
  ),
  notices: onePage(async () =>
    (await listNotices(db, userId, 1_000)).map(({ kind, about, created_at }) => ({
      ...{ kind, about: JSON.parse(about), created_at },
    })),
  ),
  audit: auditOf(db, userId),
});

/**
 * Ends all access and removes personal data from the row, which stays, since the books refer to it. The new name key
 * contains a character that registered names cannot have.
 */
export async function forget(db: Db, userId: number, uselessHash: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // The row first: a concurrent login locks it, and what it adds is then deleted, too.
    await tx
      .updateTable('users')
      .set({
        username: `deleted-${userId}`,
        username_key: `deleted:${userId}`,
        password_hash: uselessHash,
        display_name: `deleted-${userId}`,
        avatar_url: '',
        email: '',
        email_verified: 0,
        role: 1,
        status: 2,
      })
      .where('id', '=', userId)
      .execute();
    await tx.deleteFrom('sessions').where('user_id', '=', userId).execute();
    await deleteFactors(tx, userId);
    await tx.deleteFrom('one_time_secrets').where('user_id', '=', userId).execute();
    await deleteNoticesOf(tx, userId);
    await deleteLanguageOf(tx, userId);
    await tx.deleteFrom('api_keys').where('user_id', '=', userId).execute();
    await tx.deleteFrom('user_identities').where('user_id', '=', userId).execute();
    await tx.deleteFrom('sign_in_links').where('user_id', '=', userId).execute();
    await tx.deleteFrom('sign_in_attempts').where('link_user_id', '=', userId).execute();
  });
}
