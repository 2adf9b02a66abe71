import type { Migration } from '../migration.ts';

const orphaned = `select a.id from oauth_applications a join users u on u.id = a.owner_id
  where u.username like 'organisation:%' and not exists (
    select 1 from organisations o where o.account_id = u.id and o.keys_of is null and o.person_id is null)`;

/**
 * Ends applications of organisations that were deleted before their applications were deleted too: nobody could manage
 * them, and they kept signing people in. The status of deleted applications invalidates every token.
 */
export const migration: Migration = {
  name: '0055-ended-organisations',
  statements: () => [
    `update oauth_applications set status = 3, secret_hash = '' where status <> 3 and id in (${orphaned})`,
    `update api_keys set status = 2 where status = 1 and application_id in (${orphaned})`,
    `update oauth_tokens set access_revoked = 1 where access_revoked = 0 and parent_id in (
      select p.id from oauth_tokens p where p.parent_id is not null and p.application_id in (${orphaned}))`,
    `delete from oauth_consents where application_id in (${orphaned})`,
  ],
};
