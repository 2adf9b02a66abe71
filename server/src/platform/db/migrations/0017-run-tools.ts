import type { Migration } from '../migration.ts';

/** A run stores its tools, and the checkpoint of its state while it is paused. */
export const migration: Migration = {
  name: '0017-run-tools',
  statements: () => [
    // Separate from the state, which is written with every step: tool definitions are long and never change.
    "alter table ms_runs add column tools text not null default '[]'",
    'alter table ms_runs add column checkpoint_id text',
  ],
};
