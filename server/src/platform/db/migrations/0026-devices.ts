import type { Migration } from '../migration.ts';

/**
 * Pushed authorization requests, device codes, seen DPoP proofs, and the key a token is bound to. Rows of an earlier
 * version are bound to none.
 */
export const migration: Migration = {
  name: '0026-devices',
  statements: ({ id, int }) => [
    `create table oauth_pushed_requests (
      id ${id},
      uri_hash text not null unique,
      application_id ${int} not null,
      request text not null,
      created_at ${int} not null,
      expires_at ${int} not null,
      used_at ${int}
    )`,
    'create index oauth_pushed_requests_age on oauth_pushed_requests (expires_at)',
    `create table oauth_device_codes (
      id ${id},
      device_hash text not null unique,
      user_code_hash text not null unique,
      application_id ${int} not null,
      scope text not null,
      openid ${int} not null,
      epoch ${int} not null,
      interval_seconds ${int} not null,
      polled_at_ms ${int},
      user_id ${int},
      approved ${int},
      sign_in text,
      used_at ${int},
      created_at ${int} not null,
      expires_at ${int} not null
    )`,
    'create index oauth_device_codes_grant on oauth_device_codes (user_id, application_id)',
    'create index oauth_device_codes_age on oauth_device_codes (expires_at)',
    `create table oauth_proofs (
      proof_hash text primary key,
      expires_at ${int} not null
    )`,
    'create index oauth_proofs_age on oauth_proofs (expires_at)',
    'alter table oauth_codes add column dpop_jkt text',
    'alter table oauth_tokens add column jkt text',
    `alter table oauth_applications add column dpop_bound_access_tokens ${int} not null default 0`,
  ],
};
