import type { Migration } from '../migration.ts';

/** Which application has made a key for its user; null for keys that people made, and for those of before. */
export const migration: Migration = {
  name: '0067-key-makers',
  statements: ({ int }) => [`alter table api_keys add column made_by ${int}`],
};
