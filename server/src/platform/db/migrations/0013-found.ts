import type { Migration } from '../migration.ts';
import type { Engine } from '../tables.ts';
import { sqliteGrams } from './grams.ts';

/** An index for substring search on a name column, `called`. */
function nameIndex(engine: Engine, table: string, column: string): string[] {
  const called = `${table}_called`;
  if (engine === 'postgres') return [`create index ${called} on ${table} using gin (svc_grams(lower(${column})))`];
  const grams = (row: string) => sqliteGrams(`lower(${row}.${column})`);
  const add = (row: string) => `insert into ${called} (rowid, grams) values (${row}.id, (${grams(row)}))`;
  return [
    `create virtual table ${called} using fts5 (
      grams, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
    )`,
    `create trigger ${called}_added after insert on ${table} begin ${add('new')}; end`,
    `create trigger ${called}_changed after update of ${column} on ${table} when old.${column} <> new.${column} begin
      delete from ${called} where rowid = old.id;
      ${add('new')};
    end`,
    `create trigger ${called}_gone after delete on ${table} begin delete from ${called} where rowid = old.id; end`,
    `insert into ${called} (rowid, grams) select t.id, (${grams('t')}) from ${table} t`,
  ];
}

/** The audit log has no more entries with this name. */
const isUnused = `not exists (select 1 from audit_log a where a.target_type = audit_targets.target_type
      and a.target_id = audit_targets.target_id and a.target_name = audit_targets.target_name)
    and (audit_targets.target_id <> 0 or not exists (select 1 from audit_log a
      where a.target_type = audit_targets.target_type and a.target_id is null and a.target_name = audit_targets.target_name))`;

const targetOf = (row: string) => `${row}target_type, coalesce(${row}target_id, 0), ${row}target_name`;

/**
 * The targets of the audit log, one row per target and name, so that entries are found by part of a name without
 * scanning the log, where one target has thousands. Maintained by triggers for any version that writes, and deleted
 * along with the log.
 */
function auditTargets(engine: Engine): string[] {
  const into = 'insert into audit_targets (target_type, target_id, target_name)';
  if (engine === 'sqlite') {
    const isOld = `target_type = old.target_type and target_id = coalesce(old.target_id, 0) and target_name = old.target_name`;
    const forget = `when old.target_name <> '' begin delete from audit_targets where ${isOld} and ${isUnused}; end`;
    return [
      `create trigger audit_targets_added after insert on audit_log when new.target_name <> '' begin
        ${into} values (${targetOf('new.')}) on conflict do nothing;
      end`,
      `create trigger audit_targets_renamed after update of target_name on audit_log ${forget}`,
      `create trigger audit_targets_gone after delete on audit_log ${forget}`,
    ];
  }
  const written = (name: string, statement: string) =>
    `create function ${name}() returns trigger language plpgsql as $$ begin ${statement}; return null; end $$`;
  const when = (name: string, event: string, rows: string, body: string) =>
    `create trigger ${name} after ${event} on audit_log referencing ${rows} for each statement execute function ${body}()`;
  return [
    // Sorted, so that two transactions writing the same names cannot deadlock.
    written(
      'svc_audit_targets_added',
      `${into} select distinct ${targetOf('')} from added where target_name <> '' order by 1, 2, 3 on conflict do nothing`,
    ),
    written(
      'svc_audit_targets_gone',
      `delete from audit_targets where (target_type, target_id, target_name) in
          (select ${targetOf('')} from gone where target_name <> '') and ${isUnused}`,
    ),
    when('audit_targets_added', 'insert', 'new table as added', 'svc_audit_targets_added'),
    when('audit_targets_renamed', 'update', 'old table as gone', 'svc_audit_targets_gone'),
    when('audit_targets_gone', 'delete', 'old table as gone', 'svc_audit_targets_gone'),
  ];
}

/** The tags of each session, in the order sessions are listed. */
function sessionTags(engine: Engine): string[] {
  const into = 'insert into ms_session_tags (user_id, tag, last_accessed, session_ref)';
  const tags = (row: string) =>
    engine === 'sqlite'
      ? `select distinct ${row}.user_id, g.value, ${row}.last_accessed, ${row}.id from json_each(${row}.tags) g`
      : `select distinct ${row}.user_id, g.value, ${row}.last_accessed, ${row}.id
          from json_array_elements_text(${row}.tags::json) as g (value)`;
  const fill =
    engine === 'sqlite'
      ? `${into} select distinct s.user_id, g.value, s.last_accessed, s.id from ms_sessions s, json_each(s.tags) g`
      : `${into} select distinct s.user_id, g.value, s.last_accessed, s.id
          from ms_sessions s, json_array_elements_text(s.tags::json) as g (value)`;
  const add = `${into} ${tags('new')}`;
  const renew = `delete from ms_session_tags where session_ref = old.id; ${add}`;
  if (engine === 'sqlite')
    return [
      fill,
      `create trigger ms_session_tags_added after insert on ms_sessions when new.tags <> '[]' begin ${add}; end`,
      `create trigger ms_session_tags_renewed after update of tags, last_accessed on ms_sessions
        when new.tags <> '[]' or old.tags <> '[]' begin ${renew}; end`,
    ];
  const written = (name: string, statements: string) =>
    `create function svc_${name}() returns trigger language plpgsql as $$ begin ${statements}; return null; end $$`;
  return [
    fill,
    written('ms_session_tags_added', add),
    written('ms_session_tags_renewed', renew),
    `create trigger ms_session_tags_added after insert on ms_sessions for each row when (new.tags <> '[]')
      execute function svc_ms_session_tags_added()`,
    `create trigger ms_session_tags_renewed after update of tags, last_accessed on ms_sessions for each row
      when (new.tags <> '[]' or old.tags <> '[]') execute function svc_ms_session_tags_renewed()`,
  ];
}

/** Indexes for what lists still scanned for: names of targets and applications, tags, models, states. */
export const migration: Migration = {
  name: '0013-found',
  statements: ({ engine, id, int }) => [
    `create table audit_targets (
      id ${id},
      target_type text not null,
      target_id ${int} not null,
      target_name text not null,
      unique (target_type, target_id, target_name)
    )`,
    `insert into audit_targets (target_type, target_id, target_name)
      select distinct ${targetOf('')} from audit_log where target_name <> ''`,
    ...nameIndex(engine, 'audit_targets', 'target_name'),
    ...auditTargets(engine),
    ...nameIndex(engine, 'oauth_applications', 'name'),
    `create table ms_session_tags (
      user_id ${int} not null,
      tag text not null,
      last_accessed ${int} not null,
      session_ref ${int} not null references ms_sessions (id) on delete cascade,
      primary key (user_id, tag, last_accessed, session_ref)
    )${engine === 'sqlite' ? ' without rowid' : ''}`,
    'create index ms_session_tags_session on ms_session_tags (session_ref)',
    ...sessionTags(engine),
    // Daily sums outlive their entries. Stores the first day with entries, because finding the oldest entry would query
    // every partition.
    `create table usage_kept (first_day ${int} not null)`,
    `insert into usage_kept select coalesce((select created_at / 86400 from usage_logs
      order by ${engine === 'sqlite' ? '' : 'created_at, '}id limit 1), 0)`,
    // Few models, and each index range grows at its end: this costs a request next to nothing.
    'create index routing_decisions_model on routing_decisions (model_id, id)',
    // Includes the model, so that a user's decisions about other models are skipped without reading the rows.
    'drop index routing_decisions_user',
    'create index routing_decisions_user on routing_decisions (user_id, id, model_id)',
    'create index ms_runs_status on ms_runs (user_id, status, id)',
    // Includes all columns the lists are ordered by, so that pages are counted from the index alone.
    'drop index ms_sessions_recent',
    'create index ms_sessions_recent on ms_sessions (user_id, last_accessed, id)',
    'drop index video_jobs_user',
    'create index video_jobs_user on video_jobs (user_id, held, created_at_ms desc, id)',
  ],
};
