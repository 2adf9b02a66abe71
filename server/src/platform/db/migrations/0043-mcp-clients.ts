import type { Migration } from '../migration.ts';

/**
 * Clients registered by hand with a server's authorization server. The secret is encrypted, or empty; the issuer is the
 * one the client was first used with, empty until then.
 */
export const migration: Migration = {
  name: '0043-mcp-clients',
  statements: () => [
    "alter table mcp_servers add column client_id text not null default ''",
    "alter table mcp_servers add column client_secret text not null default ''",
    "alter table mcp_servers add column client_issuer text not null default ''",
  ],
};
