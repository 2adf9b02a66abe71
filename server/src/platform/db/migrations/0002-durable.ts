import type { Migration } from '../migration.ts';

/** The list of living processes and what they hold: named leases, jobs and idempotent requests. */
export const migration: Migration = {
  name: '0002-durable',
  statements: ({ id, int }) => [
    `create table owners (id text primary key, beats ${int} not null)`,
    'create table leases (name text primary key, owner text not null, token text not null)',
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
      owner text,
      epoch ${int} not null default 0,
      error text,
      created_at_ms ${int} not null
    )`,
    'create index jobs_due on jobs (state, due_at_ms)',
    'create index jobs_queue on jobs (queue, state, due_at_ms)',
    `create unique index jobs_key on jobs (queue, key) where key is not null and state <> 'dead'`,
    // Responses of the last day, encrypted, because some contain a secret that is shown once.
    `create table idempotency_keys (
      id ${id},
      user_id ${int} not null,
      key text not null,
      fingerprint text not null,
      owner text not null,
      epoch ${int} not null default 1,
      answer text not null,
      created_at ${int} not null,
      unique (user_id, key)
    )`,
  ],
};
