import type { Migration } from '../migration.ts';

/**
 * The language of a user's mails and pages; no row until it is set. Not a column of `users`, whose rows are rewritten
 * with every batch of charges, and whose columns processes of the previous version all read.
 */
export const migration: Migration = {
  name: '0053-languages',
  statements: ({ int }) => [
    `create table user_languages (
      user_id ${int} primary key references users (id) on delete cascade,
      language text not null
    )`,
  ],
};
