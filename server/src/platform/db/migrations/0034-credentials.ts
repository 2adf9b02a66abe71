import type { Migration } from '../migration.ts';

/** Only the tables of routing, for its own tests. */
export const keysAndNames: Migration = {
  name: '0034-keys-and-names',
  statements: ({ id, int, real }) => [
    `create table channel_credentials (
      id ${id},
      channel_id ${int} not null references channels (id) on delete cascade,
      name text not null,
      credential text not null,
      weight ${real} not null,
      status ${int} not null,
      requests_per_minute ${int},
      tokens_per_minute ${int},
      spend_per_day ${int},
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    'create index channel_credentials_channel on channel_credentials (channel_id)',
    `insert into channel_credentials (channel_id, name, credential, weight, status, created_at, updated_at)
      select id, 'First', '', 1, 1, created_at, updated_at from channels where credential <> '' order by id`,
    `create table routing_credential_days (
      credential_id ${int} not null,
      day ${int} not null,
      requests ${int} not null,
      failures ${int} not null,
      tokens ${int} not null,
      spent ${int} not null,
      primary key (credential_id, day)
    )`,
    'create index routing_credential_days_age on routing_credential_days (day)',
    `create table routing_own_keys (
      id ${id},
      user_id ${int} not null,
      provider text not null,
      name text not null,
      credential text not null,
      fallback ${int} not null,
      status ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    'create index routing_own_keys_user on routing_own_keys (user_id)',
    `create table model_aliases (
      id ${id},
      name text not null unique,
      models text not null,
      status ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
  ],
};

/**
 * Several keys per channel, each with its limits and daily usage; users' own keys; and aliases of models. Rows of an
 * earlier version have none of it: the key in a channel's row stays there, and is the channel's first credential.
 */
export const migration: Migration = {
  name: '0034-credentials',
  statements: (words) => [
    ...keysAndNames.statements(words),
    // 1 if the request used the user's own upstream key.
    `alter table usage_logs add column own_key ${words.int} not null default 0`,
  ],
};
