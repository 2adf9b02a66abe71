import type { Migration } from '../migration.ts';

/**
 * Clients that were registered by hand with a server's authorization server. The secret is sealed, empty where there is none;
 * the issuer is where the client was first used, empty until then.
 */
export const migration: Migration = {
  name: '0043-mcp-clients',
  statements: () => [
    "alter table mcp_servers add column client_id text not null default ''",
    "alter table mcp_servers add column client_secret text not null default ''",
    "alter table mcp_servers add column client_issuer text not null default ''",
  ],
};
