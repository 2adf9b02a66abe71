import type { Migration } from '../migration.ts';

/**
 * Servers that the service itself signs in to: the private key of a client registered by hand (encrypted, or empty),
 * and the token shared by everyone who may use the server.
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
