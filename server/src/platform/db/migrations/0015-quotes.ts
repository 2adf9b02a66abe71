import type { Migration } from '../migration.ts';

/** Knowledge learned from a conversation stores the quote it is based on, and its message. */
export const migration: Migration = {
  name: '0015-quotes',
  statements: ({ int }) => [
    'alter table ms_knowledge add column quote text',
    // No foreign key: knowledge stays when the conversation is deleted.
    `alter table ms_knowledge add column source_message ${int}`,
  ],
};
