import type { Migration } from '../migration.ts';

/** Rate limits of connected servers and prices of tool calls; by default there is no limit and no price. */
export const migration: Migration = {
  name: '0032-mcp-limits',
  statements: ({ int }) => [
    `alter table mcp_servers add column calls_per_minute ${int} not null default 0`,
    `alter table mcp_tools add column price ${int} not null default 0`,
  ],
};
