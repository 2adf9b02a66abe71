import type { Migration } from '../migration.ts';

/** Files uploaded in parts: announcements, and the parts received. Both expire within the hour. */
export const migration: Migration = {
  name: '0072-uploads',
  statements: ({ int }) => [
    `create table uploads (
      id text primary key,
      user_id ${int} not null,
      purpose text not null,
      filename text not null,
      bytes ${int} not null,
      expiry_seconds ${int},
      status text not null,
      file_id text,
      made_of text,
      created_at ${int} not null,
      expires_at ${int} not null
    )`,
    'create index uploads_user on uploads (user_id, id)',
    'create index uploads_expiry on uploads (expires_at)',
    `create table upload_parts (
      id text primary key,
      upload_id text not null references uploads (id) on delete cascade,
      bytes ${int} not null,
      blob text not null,
      ready ${int} not null,
      created_at ${int} not null
    )`,
    'create index upload_parts_upload on upload_parts (upload_id)',
  ],
};
