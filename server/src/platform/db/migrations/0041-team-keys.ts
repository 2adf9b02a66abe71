import type { Migration } from '../migration.ts';

const ofTeams = (int: string, references = ''): string[] => [
  `alter table routing_own_keys add column team_id ${int}${references}`,
  'create index routing_own_keys_team on routing_own_keys (team_id)',
];

/** Only the tables of routing, for its own tests. */
export const keysOfTeams: Migration = { name: '0041-keys-of-teams', statements: ({ int }) => ofTeams(int) };

/**
 * Teams' own keys for providers: their `user_id` is 0, so that an earlier version ignores them, and they are deleted
 * with their team. Also rotation of API key secrets, and savings from cached answers. An earlier version only knows the
 * new secret.
 */
export const migration: Migration = {
  name: '0041-team-keys',
  statements: ({ int }) => [
    ...ofTeams(int, ' references organisation_teams (id) on delete cascade'),
    // The previous secret, while it is still valid. Not in the view `api_keys_now`, for the reason given in 0028.
    'alter table api_keys add column old_hash text',
    "alter table api_keys add column old_start text not null default ''",
    "alter table api_keys add column old_end text not null default ''",
    `alter table api_keys add column old_ends_at ${int} not null default 0`,
    'create unique index api_keys_old_hash on api_keys (old_hash) where old_hash is not null',
    `alter table api_keys add column saved_quota ${int} not null default 0`,
    `alter table api_keys add column saved_requests ${int} not null default 0`,
    // The owner of keys that have limits but belong to no organisation; such a row has no members. Null for
    // organisations.
    `alter table organisations add column keys_of ${int}`,
    'create unique index organisations_by_keys on organisations (keys_of)',
  ],
};
