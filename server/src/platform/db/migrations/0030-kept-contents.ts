import type { Migration } from '../migration.ts';

/** Items that nobody but their response has stand in its row; those that are rows of `kept_items` stay so. */
export const migration: Migration = {
  name: '0030-kept-contents',
  statements: () => ['alter table kept_responses add column contents text'],
};
