import type { Migration } from '../migration.ts';

/** The application that created a key for its user; null for keys created by people, and for earlier ones. */
export const migration: Migration = {
  name: '0067-key-makers',
  statements: ({ int }) => [`alter table api_keys add column made_by ${int}`],
};
