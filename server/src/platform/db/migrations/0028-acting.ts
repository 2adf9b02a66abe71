import type { Migration } from '../migration.ts';

/**
 * Applications that act for users: what they may spend, and tokens that were exchanged for others. Whatever an earlier version
 * writes has none of it.
 */
export const migration: Migration = {
  name: '0028-acting',
  statements: ({ int }) => [
    // Null until the user has set one. What is spent of it lies in rows of `api_keys` that no secret leads to.
    `alter table oauth_consents add column spending_limit ${int}`,
    "alter table oauth_consents add column spending_window text not null default 'total'",
    // Null for keys that somebody made. No reference: usage names the application after it is gone. Not in the view
    // `api_keys_now`: to drop a view means to wait for those who read it, who may wait for the tables that are locked here.
    `alter table api_keys add column application_id ${int}`,
    'create index api_keys_of_applications on api_keys (application_id, user_id) where application_id is not null',
    `alter table oauth_applications add column token_exchange ${int} not null default 0`,
    "alter table oauth_applications add column token_exchange_clients text not null default '[]'",
    // Of an exchanged token: the pair that the user's own consent gave, the one it was exchanged for, and who acts.
    `alter table oauth_tokens add column subject_id ${int}`,
    `alter table oauth_tokens add column parent_id ${int}`,
    'alter table oauth_tokens add column act text',
    'create index oauth_tokens_exchanged on oauth_tokens (parent_id) where parent_id is not null',
  ],
};
