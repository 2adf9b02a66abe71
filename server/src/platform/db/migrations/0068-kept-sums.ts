import type { Migration } from '../migration.ts';

/**
 * The bytes stored per user, and when they were last counted; what batches store besides the user's files; and which of
 * a user's secrets signs video callbacks.
 */
export const migration: Migration = {
  name: '0068-kept-sums',
  statements: ({ int }) => [
    `create table kept_sums (
      user_id ${int} primary key,
      bytes ${int} not null,
      counts ${int} not null default 0,
      counted_at ${int} not null default 0
    )`,
    'create index kept_sums_age on kept_sums (counted_at)',
    `create table video_secrets (
      user_id ${int} primary key,
      version ${int} not null,
      old_ends_at ${int} not null
    )`,
    `alter table batches add column bytes ${int} not null default 0`,
  ],
};
