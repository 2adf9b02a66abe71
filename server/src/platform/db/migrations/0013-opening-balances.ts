import type { Migration } from '../migration.ts';

const credit = `insert into credits (user_id, amount, balance_after, note, actor_id, place, created_at)
  values (new.id, new.quota, new.quota, 'Opening balance', 0,
    (select coalesce(max(id), 0) from usage_logs), new.created_at);`;

/**
 * What a user begins with is in the ledger too, so that its entries add up to the balance. By the database itself: users come
 * from registration, from the first start and from the command line, and none of these knows of ledgers.
 */
export const migration: Migration = {
  name: '0013-opening-balances',
  statements: ({ engine }) =>
    engine === 'sqlite'
      ? [`create trigger users_opening_balance after insert on users when new.quota > 0 begin ${credit} end`]
      : [
          `create function svc_opening_balance() returns trigger language plpgsql as $$ begin ${credit} return null; end $$`,
          `create trigger users_opening_balance after insert on users for each row when (new.quota > 0)
            execute function svc_opening_balance()`,
        ],
};
