import type { Migration } from '../migration.ts';

/**
 * The key a video was ordered with: until an upstream accepts the video, the key may become invalid, and its
 * organisation may restrict providers.
 */
export const migration: Migration = {
  name: '0073-keys-of-videos',
  statements: ({ int }) => [`alter table video_jobs add column key_id ${int} not null default 0`],
};
