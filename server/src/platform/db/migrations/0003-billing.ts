import type { Migration } from '../migration.ts';
import type { Engine } from '../tables.ts';

const withoutRowid = (engine: Engine): string => (engine === 'sqlite' ? ' without rowid' : '');
const whereFiled = (engine: Engine): string => (engine === 'sqlite' ? ' where filed = 1' : '');

/**
 * Records a user's initial balance in the ledger, so that its entries add up to the balance. Done by a trigger, because
 * users are created by registration, first start and command line, none of which knows about the ledger.
 */
function openingBalance(engine: Engine): string[] {
  const credit = `insert into credits (user_id, amount, balance_after, note, actor_id, place, created_at)
    values (new.id, new.quota, new.quota, 'Opening balance', 0,
      (select coalesce(max(id), 0) from usage_logs), new.created_at);`;
  if (engine === 'sqlite')
    return [`create trigger users_opening_balance after insert on users when new.quota > 0 begin ${credit} end`];
  return [
    `create function svc_opening_balance() returns trigger language plpgsql as $$ begin ${credit} return null; end $$`,
    `create trigger users_opening_balance after insert on users for each row when (new.quota > 0)
      execute function svc_opening_balance()`,
  ];
}

/** Holds of running requests, charges and grants, usage and its daily sums. */
export const migration: Migration = {
  name: '0003-billing',
  statements: ({ engine, id, int, real }) => [
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
    )${withoutRowid(engine)}`,
    // If one process writes all holds, those of running requests are one sum per user and key: a row for each would be
    // inserted and deleted within a second without ever being read.
    `create table billing_reserves (
      owner text not null,
      user_id ${int} not null,
      key_id ${int} not null,
      holds ${int} not null,
      amount ${int} not null,
      key_amount ${int} not null,
      primary key (owner, user_id, key_id)
    )${withoutRowid(engine)}`,
    // `place` orders a credit after the last charge before it: the ledger consists of credits and charged entries of
    // the usage log. `idempotency_id` prevents giving a credit twice under one key, even if the response is lost.
    `create table credits (
      id ${id},
      user_id ${int} not null,
      amount ${int} not null,
      balance_after ${int} not null,
      note text not null,
      actor_id ${int} not null,
      place ${int} not null,
      idempotency_id ${int},
      created_at ${int} not null
    )`,
    'create index credits_by_user on credits (user_id, id)',
    'create unique index credits_once on credits (idempotency_id)',
    ...openingBalance(engine),
    // A charge is one row: `balance_after` is the balance after it. `cost_parts` is empty for requests whose process
    // died.
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
      cache_write_1h_tokens ${int} not null default 0,
      audio_in_tokens ${int} not null default 0,
      image_in_tokens ${int} not null default 0,
      audio_out_tokens ${int} not null default 0,
      estimated ${int} not null default 0,
      units ${real} not null,
      quota ${int} not null,
      shortfall ${int} not null,
      stream ${int} not null,
      status text not null,
      duration_ms ${int} not null,
      first_token_ms ${int} not null,
      balance_after ${int} not null default 0,
      cost_parts text not null default '',
      created_at ${int} not null
      ${engine === 'sqlite' ? ', filed integer not null default 1' : ''}
    )`,
    // Only two indexes: every request writes here, and each index costs as much as the row itself. On SQLite entries
    // are added to them in batches of a few hundred ("filed"): one by one, each would change a page of its own in both.
    `create index usage_logs_user on usage_logs (user_id, created_at)${whereFiled(engine)}`,
    `create index usage_logs_key on usage_logs (key_id, created_at)${whereFiled(engine)}`,
    ...(engine === 'sqlite'
      ? ['create table usage_filed (up_to integer not null)', 'insert into usage_filed values (0)']
      : []),
    // Summaries and totals are read from here: counting a million log rows would block every stream on SQLite.
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
