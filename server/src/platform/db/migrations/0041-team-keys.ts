import type { Migration } from '../migration.ts';

const ofTeams = (int: string, references = ''): string[] => [
  `alter table routing_own_keys add column team_id ${int}${references}`,
  'create index routing_own_keys_team on routing_own_keys (team_id)',
];

/** The tables of routing alone, which its own tests make. */
export const keysOfTeams: Migration = { name: '0041-keys-of-teams', statements: ({ int }) => ofTeams(int) };

/**
 * Keys that teams bring along for providers: they are no user's (`user_id` is 0), so that an earlier version leaves them alone,
 * and go with their team. API keys whose secret is changed, and what they saved by kept answers. An earlier version knows the
 * new secret alone.
 */
export const migration: Migration = {
  name: '0041-team-keys',
  statements: ({ int }) => [
    ...ofTeams(int, ' references organisation_teams (id) on delete cascade'),
    // The secret before, while it counts beside the present one. Not in the view `api_keys_now`, for the reason that 0028 gives.
    'alter table api_keys add column old_hash text',
    "alter table api_keys add column old_start text not null default ''",
    "alter table api_keys add column old_end text not null default ''",
    `alter table api_keys add column old_ends_at ${int} not null default 0`,
    'create unique index api_keys_old_hash on api_keys (old_hash) where old_hash is not null',
    `alter table api_keys add column saved_quota ${int} not null default 0`,
    `alter table api_keys add column saved_requests ${int} not null default 0`,
    // Whose keys stand here that have limits and belong to no organisation: it has no members. Null for organisations.
    `alter table organisations add column keys_of ${int}`,
    'create unique index organisations_by_keys on organisations (keys_of)',
  ],
};
