import type { Migration } from '../migration.ts';

/**
 * Applications that prove themselves by a key of their own instead of a secret: the public keys, or the address where they
 * are. An earlier version knows such an application as one whose secret is never right.
 */
export const migration: Migration = {
  name: '0049-client-keys',
  statements: ({ int }) => [
    `alter table oauth_applications add column signs_assertions ${int} not null default 0`,
    "alter table oauth_applications add column jwks text not null default ''",
    "alter table oauth_applications add column jwks_uri text not null default ''",
  ],
};
