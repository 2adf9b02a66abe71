import type { Migration } from '../migration.ts';

/** Video jobs: the request, where it is being processed, the result, and whether the callback was delivered. */
export const migration: Migration = {
  name: '0007-video',
  statements: ({ int }) => [
    `create table video_jobs (
      id text primary key,
      generation_id text not null,
      user_id ${int} not null,
      group_name text not null,
      model_id text not null,
      status text not null,
      held ${int} not null,
      closed ${int} not null,
      request text not null,
      inputs text not null,
      override text not null,
      seconds ${int} not null,
      cost ${int} not null,
      provider text not null,
      channel_id ${int} not null,
      model_name text not null,
      upstream_id text not null,
      poll_url text not null,
      submitted_at_ms ${int} not null,
      rounds ${int} not null,
      polls ${int} not null,
      misses ${int} not null,
      progress ${int} not null,
      error text not null,
      results text not null,
      callback_url text not null,
      callback_tries ${int} not null,
      called_back_at_ms ${int} not null,
      created_at_ms ${int} not null,
      touched_at_ms ${int} not null,
      finished_at_ms ${int} not null,
      expires_at_ms ${int} not null
    )`,
    'create index video_jobs_user on video_jobs (user_id, created_at_ms)',
    // The sweep looks for open jobs; nearly all rows are closed.
    'create index video_jobs_open on video_jobs (closed, touched_at_ms)',
  ],
};
