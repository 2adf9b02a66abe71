import type { Migration } from '../migration.ts';

/** The file in which a platform keeps the token that the service trades in at a server's authorization server; empty for none. */
export const migration: Migration = {
  name: '0047-mcp-assertions',
  statements: () => ["alter table mcp_servers add column assertion_file text not null default ''"],
};
