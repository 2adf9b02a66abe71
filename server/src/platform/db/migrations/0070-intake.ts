import type { Migration } from '../migration.ts';

/**
 * Rows imported from other gateways: `foreign_id` identifies a row there, `own_id` the row it became here. Outlives
 * that row, so that something deleted here is not imported again.
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
