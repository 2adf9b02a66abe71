import type { Migration } from '../migration.ts';

/** Of clients that a document describes the oldest go when there are too many, which each new one asks for. */
export const migration: Migration = {
  name: '0044-client-documents',
  statements: () => ["create index oauth_applications_documents on oauth_applications (id) where source = 'document'"],
};
