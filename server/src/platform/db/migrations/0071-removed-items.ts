import type { Migration } from '../migration.ts';

/** The items that were last taken out of a conversation, with their places: a list goes on behind one that is gone. */
export const migration: Migration = {
  name: '0071-removed-items',
  statements: () => ['alter table kept_conversations add column removed text'],
};
