import type { Migration } from '../migration.ts';

/** When a process was last heard, by the clock of the server that all of them write to; 0 of one that does not say so. */
export const migration: Migration = {
  name: '0056-beaten-at',
  statements: ({ int }) => [`alter table owners add column beaten_at ${int} not null default 0`],
};
