import type { Migration } from '../migration.ts';

/**
 * OpenID Connect: signing keys of ID tokens, the applications a session has signed in to, and what codes and tokens
 * store for their ID tokens. Rows of an earlier version have none of it.
 */
export const migration: Migration = {
  name: '0023-openid',
  statements: ({ id, int }) => [
    `create table oauth_signing_keys (
      id ${id},
      kid text not null unique,
      alg text not null,
      public_jwk text not null,
      private_jwk text not null,
      starts_at ${int} not null,
      retired_at ${int},
      created_at ${int} not null
    )`,
    // If several processes need the first key at once, only one creates it.
    'create unique index oauth_signing_keys_current on oauth_signing_keys (alg) where retired_at is null',
    // No foreign key to the session: the row outlives it, so that applications can be notified of its end.
    `create table oauth_sign_ins (
      id ${id},
      session_id ${int} not null,
      application_id ${int} not null,
      user_id ${int} not null,
      sid text not null unique,
      created_at ${int} not null,
      ended_at ${int},
      unique (session_id, application_id)
    )`,
    'create index oauth_sign_ins_user on oauth_sign_ins (user_id)',
    'alter table oauth_codes add column sign_in text',
    'alter table oauth_tokens add column sign_in text',
    "alter table oauth_applications add column post_logout_redirect_uris text not null default '[]'",
    "alter table oauth_applications add column backchannel_logout_uri text not null default ''",
    "alter table oauth_applications add column id_token_signed_response_alg text not null default 'RS256'",
    `alter table oauth_applications add column require_pushed_requests ${int} not null default 0`,
    `alter table oauth_applications add column send_iss ${int} not null default 1`,
  ],
};
