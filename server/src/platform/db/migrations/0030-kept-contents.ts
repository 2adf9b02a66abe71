import type { Migration } from '../migration.ts';

/** Items used by a single response are stored in its row; existing rows of `kept_items` stay. */
export const migration: Migration = {
  name: '0030-kept-contents',
  statements: () => ['alter table kept_responses add column contents text'],
};
