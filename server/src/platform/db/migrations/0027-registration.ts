import type { Migration } from '../migration.ts';

/** Resources that codes and tokens are for. Whatever an earlier version writes is for none, and so for all that it knows. */
export const migration: Migration = {
  name: '0027-registration',
  statements: () => [
    'alter table oauth_codes add column resource text',
    'alter table oauth_tokens add column resource text',
    'alter table oauth_tokens add column access_resource text',
  ],
};
