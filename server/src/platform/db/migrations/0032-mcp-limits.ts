import type { Migration } from '../migration.ts';

/** How often a connected server may be called, and what a call of a tool costs; nothing is limited or costs anything before somebody says so. */
export const migration: Migration = {
  name: '0032-mcp-limits',
  statements: ({ int }) => [
    `alter table mcp_servers add column calls_per_minute ${int} not null default 0`,
    `alter table mcp_tools add column price ${int} not null default 0`,
  ],
};
