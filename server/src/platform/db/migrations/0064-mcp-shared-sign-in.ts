import type { Migration } from '../migration.ts';

/**
 * Servers of organisations with one sign-in for all members. An earlier version lets each member sign in, as before.
 */
export const migration: Migration = {
  name: '0064-mcp-shared-sign-in',
  statements: ({ int }) => [`alter table mcp_servers add column shared_sign_in ${int} not null default 0`],
};
