import type { Migration } from '../migration.ts';
import type { Engine } from '../tables.ts';

/** Runs a statement for each row inserted into a table. */
const afterInsert = (engine: Engine, name: string, table: string, statement: string): string[] =>
  engine === 'sqlite'
    ? [`create trigger ${name} after insert on ${table} begin ${statement}; end`]
    : [
        `create function ${name}() returns trigger language plpgsql as $$ begin ${statement}; return null; end $$`,
        `create trigger ${name} after insert on ${table} for each row execute function ${name}()`,
      ];

/**
 * Documents without a vector, and which process is embedding them: each text is claimed by one process and paid for
 * once. A separate table stays small, and its rows can be claimed without indexing the document's words again.
 * Maintained by triggers, so that it is also right for documents of a process of the previous version.
 */
export const migration: Migration = {
  name: '0009-unembedded',
  statements: ({ engine, int }) => [
    `create table ms_unembedded (
      document_id ${int} primary key references ms_documents (id) on delete cascade,
      user_id ${int} not null,
      owner text not null default ''
    )`,
    'create index ms_unembedded_user on ms_unembedded (user_id, document_id)',
    `insert into ms_unembedded (document_id, user_id)
      select d.id, d.user_id from ms_documents d left join ms_vectors v on v.document_id = d.id where v.id is null`,
    ...afterInsert(
      engine,
      'ms_documents_added',
      'ms_documents',
      'insert into ms_unembedded (document_id, user_id) values (new.id, new.user_id)',
    ),
    ...afterInsert(
      engine,
      'ms_vectors_added',
      'ms_vectors',
      'delete from ms_unembedded where document_id = new.document_id',
    ),
    // For a user's newest entries and paged exports without sorting.
    'create index ms_knowledge_newest on ms_knowledge (user_id, id)',
  ],
};
