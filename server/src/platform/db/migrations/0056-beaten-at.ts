import type { Migration } from '../migration.ts';

/**
 * The time of a process's last heartbeat, by the clock of the database server; 0 for a process that does not report it.
 */
export const migration: Migration = {
  name: '0056-beaten-at',
  statements: ({ int }) => [`alter table owners add column beaten_at ${int} not null default 0`],
};
