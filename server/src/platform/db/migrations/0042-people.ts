import type { Migration } from '../migration.ts';

/** Notices to users about their account, their own spending limits, and invitations that administrators list. */
export const migration: Migration = {
  name: '0042-people',
  statements: ({ id, int }) => [
    // `about` is JSON; dismissing a notice deletes its row.
    `create table user_notices (
      id ${id},
      user_id ${int} not null references users (id) on delete cascade,
      kind text not null,
      about text not null,
      created_at ${int} not null
    )`,
    'create index user_notices_of on user_notices (user_id, id)',
    'create index user_notices_by_time on user_notices (created_at)',
    // The user whose own budgets these are; such a row has no members. Null for organisations.
    `alter table organisations add column person_id ${int}`,
    'create unique index organisations_by_person on organisations (person_id)',
    'create index one_time_secrets_by_purpose on one_time_secrets (purpose, created_at)',
  ],
};
