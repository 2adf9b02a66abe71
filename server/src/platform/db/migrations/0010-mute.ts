import type { Migration } from '../migration.ts';

/**
 * A process says with each beat whether the others hear what it changes, so that they doubt what they keep while it is not
 * heard. `slow` is one of an earlier build, which beats seldom.
 */
export const migration: Migration = {
  name: '0010-mute',
  statements: ({ int }) => [
    `alter table owners add column mute ${int} not null default 0`,
    `alter table owners add column slow ${int} not null default 0`,
  ],
};
