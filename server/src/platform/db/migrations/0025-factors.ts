import type { Migration } from '../migration.ts';

/** Second factors, one-time links, and verified addresses, which belong to one account each. */
export const migration: Migration = {
  name: '0025-factors',
  statements: ({ id, int }) => [
    // When the session last verified a second factor; null for never, which is what an earlier version writes.
    `alter table sessions add column factor_at ${int}`,
    `create table totp (
      user_id ${int} primary key references users (id) on delete cascade,
      secret text not null,
      last_step ${int} not null,
      created_at ${int} not null,
      confirmed_at ${int}
    )`,
    `create table recovery_codes (
      user_id ${int} not null references users (id) on delete cascade,
      code_hash text not null,
      primary key (user_id, code_hash)
    )`,
    `create table passkeys (
      id ${id},
      user_id ${int} not null references users (id) on delete cascade,
      credential_id text not null unique,
      public_key text not null,
      counter ${int} not null,
      transports text not null,
      name text not null,
      created_at ${int} not null,
      last_used_at ${int}
    )`,
    'create index passkeys_by_user on passkeys (user_id)',
    `create table one_time_secrets (
      secret_hash text primary key,
      purpose text not null,
      user_id ${int} references users (id) on delete cascade,
      about text not null,
      created_at ${int} not null,
      expires_at ${int} not null
    )`,
    // If accounts share a verified address, the oldest keeps it.
    `update users set email_verified = 0 where email_verified = 1 and email <> '' and exists (
      select 1 from users as older where older.id < users.id and older.email_verified = 1
        and lower(older.email) = lower(users.email)
    )`,
    `create unique index users_by_verified_email on users (lower(email)) where email_verified = 1 and email <> ''`,
    'create index one_time_secrets_by_user on one_time_secrets (user_id, purpose)',
    'create index one_time_secrets_by_expiry on one_time_secrets (expires_at)',
  ],
};
