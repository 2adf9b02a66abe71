import type { Migration } from '../migration.ts';

/**
 * Token pairs get ids that grow with time and that both tokens carry, so a pair is found by its id. Indexes over the two
 * hashes put each new pair into two random pages, which was most of what writing it cost; what is left besides the table
 * finds a user's grant. Pairs of before cannot be found that way, since only their hashes are known; no version that was
 * released has issued any. What has run out is found by walking along the ids, in the log too.
 */
export const migration: Migration = {
  name: '0010-oauth-token-ids',
  statements: ({ int }) => [
    'drop table oauth_tokens',
    `create table oauth_tokens (
      id ${int} primary key,
      family ${int} not null,
      application_id ${int} not null,
      user_id ${int} not null,
      access_hash text not null,
      access_scope text not null,
      access_expires_at ${int} not null,
      access_revoked ${int} not null,
      refresh_hash text not null,
      scope text not null,
      expires_at ${int} not null,
      rotated_at_ms ${int},
      revoked ${int} not null,
      epoch ${int} not null,
      created_at ${int} not null,
      last_used_at ${int}
    )`,
    'create index oauth_tokens_grant on oauth_tokens (user_id, application_id, family)',
    'drop index oauth_audit_age',
  ],
};
