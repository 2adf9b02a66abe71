import type { Migration } from '../migration.ts';

/** With which key a video was asked for: it may end, and its organisation may not allow everybody, before anybody has taken the video. */
export const migration: Migration = {
  name: '0073-keys-of-videos',
  statements: ({ int }) => [`alter table video_jobs add column key_id ${int} not null default 0`],
};
