import type { Migration } from '../migration.ts';

/**
 * Indexes for cursors and filters of lists: items last removed from a conversation, with their positions; failed
 * requests by model, of a user and of a key.
 */
export const migration: Migration = {
  name: '0071-narrower-lists',
  statements: () => [
    'alter table kept_conversations add column removed text',
    'create index failed_requests_user_model on failed_requests (user_id, model_id, created_at, id)',
    'create index failed_requests_key_model on failed_requests (key_id, model_id, created_at, id)',
  ],
};
