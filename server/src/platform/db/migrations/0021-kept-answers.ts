import type { Migration } from '../migration.ts';

/** Answers that were paid for, until their work has stored them: a handful of rows. */
export const migration: Migration = {
  name: '0021-kept-answers',
  statements: ({ int }) => [
    `create table kept_answers (
      work text not null,
      call text not null,
      request_id text not null,
      user_id ${int} not null,
      created_at ${int} not null,
      body text not null,
      primary key (work, call)
    )`,
    'create index kept_answers_user on kept_answers (user_id)',
  ],
};
