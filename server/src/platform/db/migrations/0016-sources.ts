import type { Migration } from '../migration.ts';

/**
 * Files that knowledge was imported from. Their bytes are stored until they are processed, so that another process can
 * finish the import.
 */
export const migration: Migration = {
  name: '0016-sources',
  statements: ({ id, int, blob }) => [
    `create table ms_sources (
      id ${id},
      public_id text not null unique,
      user_id ${int} not null,
      key_id ${int},
      project_id text,
      name text not null,
      kind text not null,
      content_hash text not null,
      size ${int} not null,
      category text not null,
      keywords text not null,
      replaces ${int} not null,
      state text not null,
      error text,
      written ${int} not null default 0,
      removed ${int} not null default 0,
      total ${int},
      attempts ${int} not null default 0,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    // The same file is imported once, even if it is uploaded several times concurrently.
    "create unique index ms_sources_content on ms_sources (user_id, content_hash, coalesce(project_id, ''))",
    'create index ms_sources_user on ms_sources (user_id, id)',
    'create index ms_sources_state on ms_sources (state, updated_at)',
    `create table ms_source_parts (
      source_ref ${int} not null references ms_sources (id) on delete cascade,
      position ${int} not null,
      bytes ${blob} not null,
      primary key (source_ref, position)
    )`,
    `alter table ms_knowledge add column source_ref ${int} references ms_sources (id) on delete cascade`,
    `alter table ms_knowledge add column source_position ${int}`,
    `alter table ms_knowledge add column source_page ${int}`,
    'alter table ms_knowledge add column source_heading text',
    'create index ms_knowledge_source on ms_knowledge (source_ref, source_position) where source_ref is not null',
    // Identifies an entry that is imported again. Rows from before, or from a process of the previous version, get
    // theirs later.
    'alter table ms_knowledge add column fingerprint text',
    'create index ms_knowledge_fingerprint on ms_knowledge (user_id, fingerprint)',
    'create index ms_knowledge_unmarked on ms_knowledge (id) where fingerprint is null',
  ],
};
