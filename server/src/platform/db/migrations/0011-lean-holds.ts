import type { Migration } from '../migration.ts';

/**
 * Every paid request writes a hold and takes it away again, so each index of that table is paid for twice. Only those of
 * running requests are there: who looks for the holds of dead processes may read them all.
 */
export const migration: Migration = {
  name: '0011-lean-holds',
  statements: ({ engine, int }) =>
    engine === 'postgres'
      ? ['drop index billing_holds_owner']
      : [
          'alter table billing_holds rename to old_billing_holds',
          'drop index billing_holds_owner',
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
          ) without rowid`,
          'insert into billing_holds select * from old_billing_holds',
          'drop table old_billing_holds',
        ],
};
