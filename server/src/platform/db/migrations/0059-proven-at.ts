import type { Migration } from '../migration.ts';

/**
 * When the user of a session authenticated, if that was earlier and elsewhere; null if it was when the session began.
 */
export const migration: Migration = {
  name: '0059-proven-at',
  statements: ({ int }) => [`alter table sessions add column proven_at ${int}`],
};
