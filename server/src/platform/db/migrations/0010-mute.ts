import type { Migration } from '../migration.ts';

/**
 * A process reports with each heartbeat whether the others receive its change messages, so that they do not trust their
 * caches while it is mute. `slow` marks a process of an earlier build with rare heartbeats.
 */
export const migration: Migration = {
  name: '0010-mute',
  statements: ({ int }) => [
    `alter table owners add column mute ${int} not null default 0`,
    `alter table owners add column slow ${int} not null default 0`,
  ],
};
