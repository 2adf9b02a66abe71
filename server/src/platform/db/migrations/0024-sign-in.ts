import type { Migration } from '../migration.ts';

/**
 * Sign-in through identity providers: the configured providers, which of their accounts belong to which user, and
 * sign-ins in progress.
 */
export const migration: Migration = {
  name: '0024-sign-in',
  statements: ({ id, int }) => [
    `create table identity_providers (
      id ${id},
      slug text not null unique,
      name text not null,
      kind text not null,
      issuer text not null,
      client_id text not null,
      client_secret text not null,
      scopes text not null,
      enabled ${int} not null,
      allow_sign_up ${int} not null,
      trust_email ${int} not null,
      email_domains text not null,
      role_claim text not null,
      role_map text not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    `create table user_identities (
      id ${id},
      user_id ${int} not null references users (id) on delete cascade,
      provider_id ${int} not null references identity_providers (id) on delete cascade,
      issuer text not null,
      subject text not null,
      label text not null,
      created_at ${int} not null,
      last_used_at ${int} not null,
      unique (provider_id, issuer, subject)
    )`,
    'create index user_identities_by_user on user_identities (user_id)',
    `create table sign_in_attempts (
      state_hash text primary key,
      provider_id ${int} not null references identity_providers (id) on delete cascade,
      browser_hash text not null,
      return_to text not null,
      link_user_id ${int} references users (id) on delete cascade,
      expires_at ${int} not null
    )`,
    'create index sign_in_attempts_by_expiry on sign_in_attempts (expires_at)',
    `create table sign_in_links (
      token_hash text primary key,
      browser_hash text not null,
      user_id ${int} not null references users (id) on delete cascade,
      provider_id ${int} not null references identity_providers (id) on delete cascade,
      issuer text not null,
      subject text not null,
      label text not null,
      return_to text not null,
      expires_at ${int} not null
    )`,
    'create index sign_in_links_by_expiry on sign_in_links (expires_at)',
  ],
};
