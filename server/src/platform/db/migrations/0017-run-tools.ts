import type { Migration } from '../migration.ts';

/** A run keeps the tools it was given, and knows the checkpoint that its state at rest is. */
export const migration: Migration = {
  name: '0017-run-tools',
  statements: () => [
    // Beside the state, which is written with every step: definitions of tools are long and never change.
    "alter table ms_runs add column tools text not null default '[]'",
    'alter table ms_runs add column checkpoint_id text',
  ],
};
