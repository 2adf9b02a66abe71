import type { Migration } from '../migration.ts';

/** Users, their sessions and API keys, settings, and the audit log. */
export const migration: Migration = {
  name: '0001-identity',
  statements: ({ id, int }) => [
    `create table users (
      id ${id},
      username text not null,
      username_key text not null unique,
      password_hash text not null,
      display_name text not null,
      avatar_url text not null,
      email text not null,
      email_verified ${int} not null default 0,
      role ${int} not null,
      status ${int} not null,
      "group" text not null,
      quota ${int} not null,
      used_quota ${int} not null default 0,
      request_count ${int} not null default 0,
      created_at ${int} not null
    )`,
    `create table sessions (
      id ${id},
      user_id ${int} not null references users (id) on delete cascade,
      token_hash text not null unique,
      ip text not null,
      user_agent text not null,
      created_at ${int} not null,
      last_seen_at ${int} not null,
      expires_at ${int} not null
    )`,
    'create index sessions_by_user on sessions (user_id)',
    'create index sessions_by_expiry on sessions (expires_at)',
    `create table api_keys (
      id ${id},
      user_id ${int} not null references users (id) on delete cascade,
      name text not null,
      key_hash text not null unique,
      key_start text not null,
      key_end text not null,
      status ${int} not null,
      created_time ${int} not null,
      accessed_time ${int} not null,
      expired_time ${int} not null,
      remain_quota ${int} not null,
      used_quota ${int} not null default 0,
      unlimited_quota ${int} not null,
      models text not null,
      allowed_ips text not null
    )`,
    'create index api_keys_by_user on api_keys (user_id)',
    `create table options (
      name text primary key,
      value text not null,
      updated_at ${int} not null
    )`,
    // No references: the log outlives its subjects. Entries are swept by id, which follows their age.
    `create table audit_log (
      id ${id},
      action text not null,
      actor_id ${int},
      actor_name text not null default '',
      target_type text not null default '',
      target_id ${int},
      target_name text not null default '',
      state_before text,
      state_after text,
      ip text not null,
      user_agent text not null,
      metadata text not null,
      created_at ${int} not null
    )`,
  ],
};
