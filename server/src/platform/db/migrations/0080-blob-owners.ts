import type { Migration } from '../migration.ts';

/** Whose a stored blob is: the batch that has it as input or results. */
export const migration: Migration = {
  name: '0080-blob-owners',
  statements: () => [
    'create index batches_input_blob on batches (input_blob)',
    'create index batches_results_blob on batches (results_blob) where results_blob is not null',
  ],
};
