import type { Migration } from '../migration.ts';

/**
 * Applications that authenticate with their own key instead of a secret: the public keys, or their address. For an
 * earlier version such an application has a secret that never matches.
 */
export const migration: Migration = {
  name: '0049-client-keys',
  statements: ({ int }) => [
    `alter table oauth_applications add column signs_assertions ${int} not null default 0`,
    "alter table oauth_applications add column jwks text not null default ''",
    "alter table oauth_applications add column jwks_uri text not null default ''",
  ],
};
