import type { Migration } from '../migration.ts';

/**
 * Servers that the service signs in to for itself: the key of a client that was registered by hand (sealed, empty where there is
 * none), and the one token that everybody who may use the server shares.
 */
export const migration: Migration = {
  name: '0045-mcp-own-tokens',
  statements: ({ int }) => [
    "alter table mcp_servers add column client_key text not null default ''",
    `create table mcp_own_grants (
      server_id ${int} primary key references mcp_servers (id) on delete cascade,
      grant_sealed text not null,
      updated_at ${int} not null
    )`,
  ],
};
