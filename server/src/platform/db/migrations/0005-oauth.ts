import type { Migration } from '../migration.ts';

/**
 * Applications, codes, tokens and consents. `epoch` counts an application's suspensions: codes, tokens and consents
 * store the epoch they were issued in, so that changing one row revokes them all.
 */
export const migration: Migration = {
  name: '0005-oauth',
  statements: ({ id, int }) => [
    `create table oauth_applications (
      id ${id},
      owner_id ${int} not null references users (id) on delete cascade,
      name text not null,
      description text not null,
      homepage_url text not null,
      logo_url text not null,
      client_id text not null unique,
      secret_hash text not null,
      redirect_uris text not null,
      allowed_scopes text not null,
      app_type text not null,
      status ${int} not null,
      is_verified ${int} not null,
      verified_by ${int},
      verified_at ${int},
      webhook_url text not null,
      webhook_secret text not null,
      rate_limit ${int} not null,
      epoch ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    'create index oauth_applications_owner on oauth_applications (owner_id, id)',
    // Codes and tokens are written on the hot path and expire: no foreign keys, whose checks would lock the
    // application's row in every write.
    `create table oauth_codes (
      id ${id},
      code_hash text not null unique,
      application_id ${int} not null,
      user_id ${int} not null,
      redirect_uri text not null,
      scope text not null,
      state text,
      code_challenge text,
      code_challenge_method text,
      epoch ${int} not null,
      used_at ${int},
      created_at ${int} not null,
      expires_at ${int} not null
    )`,
    'create index oauth_codes_grant on oauth_codes (user_id, application_id)',
    'create index oauth_codes_age on oauth_codes (expires_at)',
    // An access token and its refresh token are one row: rotating or revoking one ends the other in the same write.
    // `family` is the id of the code the pair descends from. Both tokens contain the row's id, which grows with time:
    // indexes on the two hashes would put each new pair into two random pages, which would be most of its cost.
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
    `create table oauth_consents (
      id ${id},
      user_id ${int} not null references users (id) on delete cascade,
      application_id ${int} not null references oauth_applications (id) on delete cascade,
      scopes text not null,
      epoch ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      unique (user_id, application_id)
    )`,
    'create index oauth_consents_application on oauth_consents (application_id)',
  ],
};
