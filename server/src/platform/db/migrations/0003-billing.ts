import type { Migration } from '../migration.ts';

/** Money put aside for running requests, what was charged and granted, what was used, and its sums per day. */
export const migration: Migration = {
  name: '0003-billing',
  statements: ({ id, int, real }) => [
    `create table billing_holds (
      request_id text primary key,
      user_id ${int} not null,
      key_id ${int} not null,
      amount ${int} not null,
      key_amount ${int} not null,
      model_id text not null,
      estimate text not null,
      progress ${int} not null default 0,
      progress_usage text not null default '{}',
      owner text not null,
      expires_at ${int} not null,
      created_at ${int} not null
    )`,
    'create index billing_holds_owner on billing_holds (owner, expires_at)',
    `create table billing_owners (owner text primary key, seen_at ${int} not null)`,
    `create table ledger (
      id ${id},
      user_id ${int} not null,
      kind text not null,
      amount ${int} not null,
      balance_after ${int} not null,
      request_id text not null,
      key_id ${int} not null,
      model_id text not null,
      shortfall ${int} not null,
      note text not null,
      actor_id ${int} not null,
      created_at ${int} not null
    )`,
    'create index ledger_by_user on ledger (user_id, id)',
    `create table usage_logs (
      id ${id},
      request_id text not null,
      user_id ${int} not null,
      key_id ${int} not null,
      model_id text not null,
      endpoint text not null,
      provider text not null,
      channel_id ${int} not null,
      prompt_tokens ${int} not null,
      completion_tokens ${int} not null,
      cache_read_tokens ${int} not null,
      cache_write_tokens ${int} not null,
      reasoning_tokens ${int} not null,
      units ${real} not null,
      quota ${int} not null,
      shortfall ${int} not null,
      stream ${int} not null,
      status text not null,
      duration_ms ${int} not null,
      first_token_ms ${int} not null,
      created_at ${int} not null
    )`,
    // Two indexes and no more: every request writes here, and each further one costs it as much as the row itself.
    'create index usage_logs_user on usage_logs (user_id, created_at)',
    'create index usage_logs_key on usage_logs (key_id, created_at)',
    // Summaries and totals are read from here: counting a million log rows would stop every stream on SQLite.
    `create table usage_days (
      user_id ${int} not null,
      day ${int} not null,
      model_id text not null,
      key_id ${int} not null,
      requests ${int} not null,
      prompt_tokens ${int} not null,
      completion_tokens ${int} not null,
      quota ${int} not null,
      primary key (user_id, day, model_id, key_id)
    )`,
    'create index usage_days_day on usage_days (day)',
  ],
};
