import type { Migration } from '../migration.ts';

/** Cached answers, redemption codes and payments. Rows of an earlier version cache nothing and save nothing. */
export const migration: Migration = {
  name: '0035-top-ups',
  statements: ({ id, int }) => [
    // 0 disables the cache. Not in the view `api_keys_now`, for the reason given in 0028.
    `alter table api_keys add column cache_seconds ${int} not null default 0`,
    "alter table api_keys add column cache_when text not null default 'temperature_0'",
    // What a request would have cost if its answer had not been cached.
    `alter table usage_logs add column saved_quota ${int} not null default 0`,
    // Redeemed by a single conditional write: `used` never exceeds `uses`.
    `create table redemption_codes (
      id ${id},
      code_hash text not null unique,
      code_end text not null,
      quota ${int} not null,
      uses ${int} not null,
      used ${int} not null default 0,
      status ${int} not null default 1,
      note text not null,
      made_by ${int} not null,
      expires_at ${int} not null,
      created_at ${int} not null
    )`,
    `create table redemptions (
      id ${id},
      code_id ${int} not null,
      user_id ${int} not null,
      quota ${int} not null,
      created_at ${int} not null,
      unique (code_id, user_id)
    )`,
    'create index redemptions_of_users on redemptions (user_id, id)',
    // `credited` is what the balance has got so far; `looked` counts fetches from Stripe, and the latest one writes.
    `create table topups (
      id ${id},
      user_id ${int} not null,
      cents ${int} not null,
      quota ${int} not null,
      session_id text,
      payment_id text,
      status text not null,
      credited ${int} not null default 0,
      owed ${int} not null default 0,
      looked ${int} not null default 0,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    'create index topups_of_users on topups (user_id, id)',
    "create index topups_unsettled on topups (updated_at) where status = 'open' or owed > 0",
    'create unique index topups_by_payment on topups (payment_id) where payment_id is not null',
    `create table payment_events (
      id text primary key,
      type text not null,
      created_at ${int} not null
    )`,
    'create index payment_events_by_age on payment_events (created_at)',
  ],
};
