import type { Migration } from '../migration.ts';

/**
 * What lists go on from, and what they are narrowed by: the items that were last taken out of a conversation, with their places;
 * failed requests of one model, of a user and of a key.
 */
export const migration: Migration = {
  name: '0071-narrower-lists',
  statements: () => [
    'alter table kept_conversations add column removed text',
    'create index failed_requests_user_model on failed_requests (user_id, model_id, created_at, id)',
    'create index failed_requests_key_model on failed_requests (key_id, model_id, created_at, id)',
  ],
};
