import type { Migration } from '../migration.ts';

/** Directory entries of people whom a manager has removed from the organisation by hand. */
export const migration: Migration = {
  name: '0079-kept-out',
  statements: ({ int }) => [`alter table organisation_scim_users add column kept_out ${int} not null default 0`],
};
