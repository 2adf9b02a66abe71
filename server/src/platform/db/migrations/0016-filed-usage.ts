import type { Migration } from '../migration.ts';

/**
 * On SQLite entries of the usage log go into its indexes some hundred at a time: in a batch of many users each entry would
 * change a page of its own in every index. What is there already is filed.
 */
export const migration: Migration = {
  name: '0016-filed-usage',
  statements: ({ engine }) =>
    engine === 'postgres'
      ? []
      : [
          'alter table usage_logs add column filed integer not null default 1',
          'drop index usage_logs_user',
          'drop index usage_logs_key',
          'create index usage_logs_user on usage_logs (user_id, created_at) where filed = 1',
          'create index usage_logs_key on usage_logs (key_id, created_at) where filed = 1',
          'create table usage_filed (up_to integer not null)',
          'insert into usage_filed select coalesce(max(id), 0) from usage_logs',
        ],
};
