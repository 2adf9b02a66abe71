import type { Migration } from '../migration.ts';

/** What was learned from a conversation keeps the words it comes from, and the message they stand in. */
export const migration: Migration = {
  name: '0015-quotes',
  statements: ({ int }) => [
    'alter table ms_knowledge add column quote text',
    // No reference: knowledge stays when the conversation is deleted.
    `alter table ms_knowledge add column source_message ${int}`,
  ],
};
