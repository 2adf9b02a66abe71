import type { Migration } from '../migration.ts';

/** Which channel a video was last asked of, noted before it is asked; and whose a video of an upstream is. */
export const migration: Migration = {
  name: '0062-asked-for-videos',
  statements: ({ int }) => [
    `alter table video_jobs add column asked_channel_id ${int} not null default 0`,
    "create index video_jobs_upstream on video_jobs (upstream_id) where upstream_id <> ''",
  ],
};
