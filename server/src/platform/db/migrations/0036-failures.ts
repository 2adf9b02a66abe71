import type { Migration } from '../migration.ts';

/** Failed requests. Separate from the usage log, whose entries are charges and are added up. */
export const migration: Migration = {
  name: '0036-failures',
  statements: ({ id, int }) => [
    `create table failed_requests (
      id ${id},
      request_id text not null,
      user_id ${int} not null,
      key_id ${int} not null,
      model_id text not null,
      endpoint text not null,
      status ${int} not null,
      code text not null,
      message text not null,
      provider text,
      channel_id ${int},
      upstream_status ${int},
      upstream_message text,
      duration_ms ${int} not null,
      parent_request_id text,
      created_at ${int} not null
    )`,
    'create index failed_requests_user on failed_requests (user_id, created_at, id)',
    'create index failed_requests_age on failed_requests (created_at, id)',
  ],
};
