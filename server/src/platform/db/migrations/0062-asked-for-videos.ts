import type { Migration } from '../migration.ts';

/** The channel a video was last requested from, recorded before the request; and the owner of an upstream video. */
export const migration: Migration = {
  name: '0062-asked-for-videos',
  statements: ({ int }) => [
    `alter table video_jobs add column asked_channel_id ${int} not null default 0`,
    "create index video_jobs_upstream on video_jobs (upstream_id) where upstream_id <> ''",
  ],
};
