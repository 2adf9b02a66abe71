import type { Migration } from '../migration.ts';

/** Which program asks for a tool call: shown to the person who decides. Empty for calls of the previous release. */
export const migration: Migration = {
  name: '0077-askers',
  statements: () => [`alter table mcp_approvals add column asked_by text not null default ''`],
};
