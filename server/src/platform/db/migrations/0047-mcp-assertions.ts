import type { Migration } from '../migration.ts';

/**
 * The file in which a platform provides the token that the service exchanges at a server's authorization server; or
 * empty.
 */
export const migration: Migration = {
  name: '0047-mcp-assertions',
  statements: () => ["alter table mcp_servers add column assertion_file text not null default ''"],
};
