import type { Migration } from '../migration.ts';

/** Indexes to find requests: failed ones, incomplete ones, and those without a routing decision. */
export const migration: Migration = {
  name: '0037-requests',
  statements: ({ int }) => [
    'create index failed_requests_request on failed_requests (request_id)',
    'create index failed_requests_key on failed_requests (key_id, created_at, id)',
    'create index failed_requests_model on failed_requests (model_id, created_at, id)',
    `create index failed_requests_parent on failed_requests (parent_request_id, created_at, id)
      where parent_request_id is not null`,
    // Partial indexes: ordinary requests are in none of them and pay nothing.
    "create index usage_logs_incomplete on usage_logs (created_at, id) where status <> 'ok'",
    "create index usage_logs_incomplete_user on usage_logs (user_id, created_at, id) where status <> 'ok'",
    'create index usage_logs_unrouted on usage_logs (request_id) where channel_id = 0',
    // Requests and answers, encrypted, of users who consented to storing them.
    `create table content_consents (user_id ${int} primary key, created_at ${int} not null)`,
    `create table request_contents (
      request_id text primary key,
      user_id ${int} not null,
      content text not null,
      created_at ${int} not null
    )`,
    'create index request_contents_user on request_contents (user_id, created_at, request_id)',
    'create index request_contents_age on request_contents (created_at)',
  ],
};
