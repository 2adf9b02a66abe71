import type { Migration } from '../migration.ts';

/** The oldest client documents are evicted if there are too many, which every new one checks. */
export const migration: Migration = {
  name: '0044-client-documents',
  statements: () => ["create index oauth_applications_documents on oauth_applications (id) where source = 'document'"],
};
