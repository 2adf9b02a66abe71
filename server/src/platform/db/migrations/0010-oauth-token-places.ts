import type { Migration } from '../migration.ts';

/**
 * Token pairs are found by `place`, a number that both tokens carry and that grows with time, instead of by two indexes over
 * hashes: those put each new pair into two random pages, which was most of what a refresh cost. Pairs of before cannot be
 * given a place, since only their hashes are known; no version that was released has issued any.
 */
export const migration: Migration = {
  name: '0010-oauth-token-places',
  statements: ({ id, int }) => [
    'drop table oauth_tokens',
    `create table oauth_tokens (
      id ${id},
      place ${int} not null,
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
    // Not unique: two pairs at one place are told apart by their hashes.
    'create index oauth_tokens_place on oauth_tokens (place)',
    'create index oauth_tokens_grant on oauth_tokens (user_id, application_id, family)',
    'create index oauth_tokens_age on oauth_tokens (expires_at)',
  ],
};
