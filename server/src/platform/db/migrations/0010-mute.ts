import type { Migration } from '../migration.ts';

/** A process says with each beat whether the others hear what it changes, so that they doubt what they keep while it is not heard. */
export const migration: Migration = {
  name: '0010-mute',
  statements: ({ int }) => [`alter table owners add column mute ${int} not null default 0`],
};
