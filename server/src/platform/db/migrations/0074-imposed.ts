import type { Migration } from '../migration.ts';

/**
 * What the one concerned cannot undo: settings of a member's own key by managers of its organisation (a JSON array), and
 * servers of users and organisations that an administrator has disabled.
 */
export const migration: Migration = {
  name: '0074-imposed',
  statements: ({ int }) => [
    `alter table api_keys add column imposed text not null default '[]'`,
    `alter table mcp_servers add column blocked ${int} not null default 0`,
  ],
};
