import type { Migration } from '../migration.ts';

/** Most requests of a model are decided alike for a minute; why is written once for them all. */
export const migration: Migration = {
  name: '0015-decision-choices',
  statements: ({ id, int }) => [
    `create table routing_choices (
      id ${id},
      strategy text not null,
      reason text not null,
      candidates text not null,
      created_at ${int} not null
    )`,
    'create index routing_choices_age on routing_choices (created_at)',
    `alter table routing_decisions add column choice_id ${int}`,
  ],
};
