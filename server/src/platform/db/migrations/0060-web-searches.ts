import type { Migration } from '../migration.ts';

/** The number of web searches the vendor ran for a request. */
export const migration: Migration = {
  name: '0060-web-searches',
  statements: ({ int }) => [`alter table usage_logs add column web_searches ${int} not null default 0`],
};
