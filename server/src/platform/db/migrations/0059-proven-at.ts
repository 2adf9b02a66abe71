import type { Migration } from '../migration.ts';

/** When whoever a session is of was asked who they are, where that was before it began, and elsewhere; null for when it began. */
export const migration: Migration = {
  name: '0059-proven-at',
  statements: ({ int }) => [`alter table sessions add column proven_at ${int}`],
};
