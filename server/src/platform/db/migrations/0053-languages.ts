import type { Migration } from '../migration.ts';

/**
 * In which people read mails and pages; no row while nobody has said. Beside `users`, not in it: its rows are written with
 * every batch of charges, and processes of the version before read all of its columns.
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
