import type { Migration } from '../migration.ts';

/**
 * A charge is one row: that of the usage log, which now says what it left in the balance. The ledger is those rows and the
 * credits given or taken; `place` puts a credit behind the last charge before it.
 */
export const migration: Migration = {
  name: '0012-charges-once',
  statements: ({ id, int }) => [
    `alter table usage_logs add column balance_after ${int} not null default 0`,
    'create index old_ledger_request on ledger (request_id)',
    'create index old_usage_request on usage_logs (request_id)',
    `update usage_logs set balance_after = coalesce((select balance_after from ledger
      where ledger.request_id = usage_logs.request_id and ledger.kind = 'usage'), 0) where quota > 0`,
    `create table credits (
      id ${id},
      user_id ${int} not null,
      amount ${int} not null,
      balance_after ${int} not null,
      note text not null,
      actor_id ${int} not null,
      place ${int} not null,
      created_at ${int} not null
    )`,
    'create index credits_by_user on credits (user_id, id)',
    `insert into credits (user_id, amount, balance_after, note, actor_id, place, created_at)
      select user_id, amount, balance_after, note, actor_id,
        coalesce((select max(id) from usage_logs where request_id = (select request_id from ledger charge
          where charge.id < ledger.id and charge.kind = 'usage' order by charge.id desc limit 1)), 0),
        created_at
      from ledger where kind = 'grant' order by id`,
    'drop index old_usage_request',
    'drop table ledger',
  ],
};
