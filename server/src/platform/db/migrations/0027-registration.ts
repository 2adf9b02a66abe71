import type { Migration } from '../migration.ts';

/**
 * Resources that codes and tokens are for, and applications that nobody here owns: those that a document describes, and
 * those that registered themselves. Whatever an earlier version writes has an owner, and is for no resource in particular.
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
 * SQLite takes no constraint off a column, and making the table anew would forget columns that another step has added: the
 * column is replaced by one without it. Dropping it drops the reference that stands with it.
 */
const ownerMayBeNull = [
  'alter table oauth_applications add column new_owner_id integer references users (id) on delete cascade',
  'update oauth_applications set new_owner_id = owner_id',
  'drop index oauth_applications_owner',
  'alter table oauth_applications drop column owner_id',
  'alter table oauth_applications rename column new_owner_id to owner_id',
  'create index oauth_applications_owner on oauth_applications (owner_id, id)',
];
