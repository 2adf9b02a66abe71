import type { Migration } from '../migration.ts';

/**
 * Where one process writes all holds, those of running requests are a sum per user and key: a row for each would be written
 * and taken away again within a second, for nobody to read.
 */
export const migration: Migration = {
  name: '0014-reserves',
  statements: ({ engine, int }) => [
    `create table billing_reserves (
      owner text not null,
      user_id ${int} not null,
      key_id ${int} not null,
      holds ${int} not null,
      amount ${int} not null,
      key_amount ${int} not null,
      primary key (owner, user_id, key_id)
    )${engine === 'sqlite' ? ' without rowid' : ''}`,
  ],
};
