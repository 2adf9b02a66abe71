import type { Migration } from '../migration.ts';

/** Which version of the service ran a step, so that an older one can say what the database needs. */
export const migration: Migration = {
  name: '0011-versions',
  statements: () => ['alter table migrations add column version text'],
};
