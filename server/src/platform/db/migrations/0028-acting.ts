import type { Migration } from '../migration.ts';

/**
 * Applications that act for users: their spending limits, and exchanged tokens. Rows of an earlier version have none of
 * it.
 */
export const migration: Migration = {
  name: '0028-acting',
  statements: ({ int }) => [
    // Null until the user has set one. What is spent of it is in rows of `api_keys` without a usable secret.
    `alter table oauth_consents add column spending_limit ${int}`,
    "alter table oauth_consents add column spending_window text not null default 'total'",
    // Null for keys created by people. No foreign key: usage names the application after it is deleted. Not in the view
    // `api_keys_now`: dropping a view waits for its readers, which may wait for the tables locked here.
    `alter table api_keys add column application_id ${int}`,
    'create index api_keys_of_applications on api_keys (application_id, user_id) where application_id is not null',
    `alter table oauth_applications add column token_exchange ${int} not null default 0`,
    "alter table oauth_applications add column token_exchange_clients text not null default '[]'",
    // For an exchanged token: the pair issued with the user's consent, the token it was exchanged for, and the actor.
    `alter table oauth_tokens add column subject_id ${int}`,
    `alter table oauth_tokens add column parent_id ${int}`,
    'alter table oauth_tokens add column act text',
    'create index oauth_tokens_exchanged on oauth_tokens (parent_id) where parent_id is not null',
  ],
};
