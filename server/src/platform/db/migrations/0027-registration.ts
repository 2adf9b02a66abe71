import type { Migration } from '../migration.ts';

/**
 * Resources that codes and tokens are for, and applications without an owner here: client documents, and dynamically
 * registered ones. Rows of an earlier version have an owner, and no particular resource.
 */
export const migration: Migration = {
  name: '0027-registration',
  statements: ({ engine, int }) => [
    'alter table oauth_codes add column resource text',
    'alter table oauth_tokens add column resource text',
    'alter table oauth_tokens add column access_resource text',
    ...(engine === 'postgres'
      ? ['alter table oauth_applications alter column owner_id drop not null']
      : ownerMayBeNull),
    "alter table oauth_applications add column source text not null default 'owner'",
    `alter table oauth_applications add column document_expires_at ${int}`,
    "alter table oauth_applications add column registration_hash text not null default ''",
    'create index oauth_applications_unowned on oauth_applications (id) where owner_id is null',
  ],
};

/**
 * SQLite cannot remove a constraint from a column, and recreating the table would lose columns added by other
 * migrations. So the column is replaced by one without it; dropping it also drops its foreign key.
 */
const ownerMayBeNull = [
  'alter table oauth_applications add column new_owner_id integer references users (id) on delete cascade',
  'update oauth_applications set new_owner_id = owner_id',
  'drop index oauth_applications_owner',
  'alter table oauth_applications drop column owner_id',
  'alter table oauth_applications rename column new_owner_id to owner_id',
  'create index oauth_applications_owner on oauth_applications (owner_id, id)',
];
