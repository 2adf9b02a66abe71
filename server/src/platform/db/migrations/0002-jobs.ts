import type { Migration } from '../migration.ts';

/** Durable work when embedded. On PostgreSQL pg-boss keeps its own tables and this one stays empty. */
export const migration: Migration = {
  name: '0002-jobs',
  statements: ({ id, int }) => [
    `create table jobs (
      id ${id},
      queue text not null,
      key text,
      data text not null,
      state text not null,
      attempt ${int} not null,
      max_attempts ${int} not null,
      backoff_ms ${int} not null,
      due_at_ms ${int} not null,
      token text,
      error text,
      created_at_ms ${int} not null
    )`,
    'create index jobs_due on jobs (state, due_at_ms)',
    'create index jobs_queue on jobs (queue, state, due_at_ms)',
    `create unique index jobs_key on jobs (queue, key) where key is not null and state <> 'dead'`,
  ],
};
