import type { Migration } from '../migration.ts';

/** Which version of the service ran a migration, so that an older one can say which version the database needs. */
export const migration: Migration = {
  name: '0011-versions',
  statements: () => ['alter table migrations add column version text'],
};
