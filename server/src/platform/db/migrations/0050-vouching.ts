import type { Migration } from '../migration.ts';

/**
 * Identity providers that vouch for their users at MCP servers. What is stored of a sign-in for that is encrypted, or
 * empty, and deleted with the linked account. An earlier version stores nothing, and lets users sign in to such a
 * server.
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
