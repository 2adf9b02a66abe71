import type { Migration } from '../migration.ts';

/**
 * The version of the rule by which a document's words were indexed, so that documents of an earlier one are indexed
 * again in the background; 0 for those of a process of the previous release. Also an index for the documents of a
 * project, so that a search in it need not pick them out of all of a user's.
 */
export const migration: Migration = {
  name: '0076-terms-versions',
  statements: ({ int }) => [
    `alter table ms_documents add column terms_version ${int} not null default 0`,
    'create index ms_documents_terms_version on ms_documents (terms_version, id)',
    'create index ms_documents_project on ms_documents (user_id, project_id, id) where project_id is not null',
  ],
};
