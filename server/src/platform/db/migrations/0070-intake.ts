import type { Migration } from '../migration.ts';

/**
 * What came in from other gateways: `foreign_id` is what tells a row apart there, `own_id` the row that it has become here. It
 * outlives that row, so that what was deleted here since does not come in again.
 */
export const migration: Migration = {
  name: '0070-intake',
  statements: ({ int }) => [
    `create table taken_in (
      source text not null,
      kind text not null,
      foreign_id text not null,
      own_id ${int} not null,
      created_at ${int} not null,
      primary key (source, kind, foreign_id)
    )`,
  ],
};
