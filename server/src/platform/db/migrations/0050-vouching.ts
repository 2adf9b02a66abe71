import type { Migration } from '../migration.ts';

/**
 * Providers that vouch for their people at MCP servers: what is kept of a sign-in for it, sealed and empty for nothing, ends with
 * the row of the account that it is of. An earlier version keeps nothing, and knows a server that is opened so as one of users who sign in.
 */
export const migration: Migration = {
  name: '0050-vouching',
  statements: ({ int }) => [
    `alter table identity_providers add column vouches ${int} not null default 0`,
    "alter table user_identities add column grant_sealed text not null default ''",
    "alter table sign_in_links add column grant_sealed text not null default ''",
    "alter table mcp_servers add column vouched_by text not null default ''",
  ],
};
