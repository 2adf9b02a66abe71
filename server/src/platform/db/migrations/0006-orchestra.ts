import type { Migration } from '../migration.ts';

/**
 * The orchestration engine: sessions with their memory, knowledge, plans, learned patterns and preferences; autonomous
 * runs with their journal, checkpoints and events.
 */
export const migration: Migration = {
  name: '0006-orchestra',
  statements: ({ engine, id, int, real, blob }) => [
    `create table ms_sessions (
      id ${id},
      user_id ${int} not null,
      session_id text not null,
      project_id text,
      tags text not null,
      total_messages ${int} not null default 0,
      total_tokens ${int} not null default 0,
      created_at ${int} not null,
      last_accessed ${int} not null,
      unique (user_id, session_id)
    )`,
    'create index ms_sessions_recent on ms_sessions (user_id, last_accessed)',
    `create table ms_messages (
      id ${id},
      session_ref ${int} not null references ms_sessions (id) on delete cascade,
      message text not null,
      tokens ${int} not null,
      model text,
      superseded ${int} not null default 0,
      created_at ${int} not null
    )`,
    'create index ms_messages_session on ms_messages (session_ref, superseded, id)',
    `create table ms_summaries (
      id ${id},
      session_ref ${int} not null references ms_sessions (id) on delete cascade,
      content text not null,
      tokens ${int} not null,
      up_to ${int} not null,
      created_at ${int} not null
    )`,
    'create index ms_summaries_session on ms_summaries (session_ref, id)',
    `create table ms_knowledge (
      id ${id},
      public_id text not null unique,
      user_id ${int} not null,
      project_id text,
      category text not null,
      title text not null,
      content text not null,
      keywords text not null,
      source_session text,
      created_at ${int} not null,
      updated_at ${int} not null
    )`,
    'create index ms_knowledge_user on ms_knowledge (user_id, category, id)',
    // One row per recallable item: a message or a knowledge entry. The words are indexed per engine.
    `create table ms_documents (
      id ${id},
      user_id ${int} not null,
      project_id text,
      session_ref ${int} references ms_sessions (id) on delete cascade,
      message_id ${int} references ms_messages (id) on delete cascade,
      before_id ${int},
      knowledge_ref ${int} references ms_knowledge (id) on delete cascade
      ${engine === 'postgres' ? ', terms tsvector not null' : ''}
    )`,
    'create unique index ms_documents_message on ms_documents (message_id)',
    'create unique index ms_documents_knowledge on ms_documents (knowledge_ref)',
    'create index ms_documents_session on ms_documents (session_ref)',
    'create index ms_documents_user on ms_documents (user_id, id)',
    ...(engine === 'postgres'
      ? ['create index ms_documents_terms on ms_documents using gin (terms)']
      : [
          `create virtual table ms_documents_fts using fts5 (
            owner, terms, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 0'
          )`,
          "create virtual table ms_documents_vocab using fts5vocab ('ms_documents_fts', 'row')",
          `create trigger ms_documents_gone after delete on ms_documents begin
            delete from ms_documents_fts where rowid = old.id;
          end`,
        ]),
    // `bits` are the signs of the vector: enough to find the nearest few hundred, which `vector` then ranks.
    `create table ms_vectors (
      id ${id},
      document_id ${int} not null unique references ms_documents (id) on delete cascade,
      user_id ${int} not null,
      model text not null,
      bits ${blob} not null,
      vector ${blob} not null
    )`,
    'create index ms_vectors_user on ms_vectors (user_id, model, id)',
    `create table ms_plans (
      id ${id},
      plan_id text not null unique,
      user_id ${int} not null,
      session_ref ${int} not null references ms_sessions (id) on delete cascade,
      status text not null,
      state text not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      expires_at ${int} not null
    )`,
    'create index ms_plans_session on ms_plans (session_ref, id)',
    'create index ms_plans_age on ms_plans (expires_at)',
    `create table ms_tool_calls (
      user_id ${int} not null,
      tool_call_id text not null,
      plan_ref ${int} not null references ms_plans (id) on delete cascade,
      primary key (user_id, tool_call_id)
    )`,
    'create index ms_tool_calls_plan on ms_tool_calls (plan_ref)',
    `create table ms_patterns (
      user_id ${int} not null,
      kind text not null,
      difficulty text not null,
      model text not null,
      successes ${int} not null,
      failures ${int} not null,
      updated_at ${int} not null,
      primary key (user_id, kind, difficulty, model)
    )`,
    `create table ms_preferences (
      user_id ${int} primary key,
      value text not null,
      updated_at ${int} not null
    )`,
    // `epoch` increases with every change of holder, so that writes of a former holder have no effect.
    `create table ms_runs (
      id ${id},
      execution_id text not null unique,
      user_id ${int} not null,
      session_ref ${int} not null references ms_sessions (id) on delete cascade,
      caller text not null,
      goal text not null,
      config text not null,
      state text not null,
      status text not null,
      reason text,
      result text,
      error text,
      iteration ${int} not null default 0,
      tasks_completed ${int} not null default 0,
      tasks_failed ${int} not null default 0,
      tasks_total ${int} not null default 0,
      tokens_used ${int} not null default 0,
      cost ${int} not null default 0,
      elapsed_ms ${int} not null default 0,
      current_task text,
      confidence ${real} not null default 0,
      checkpoints ${int} not null default 0,
      turn ${int} not null,
      first_seq ${int} not null,
      owner text,
      epoch ${int} not null,
      created_at ${int} not null,
      updated_ms ${int} not null
    )`,
    // At most one running execution per session, even under races.
    "create unique index ms_runs_running on ms_runs (session_ref) where status = 'running'",
    'create index ms_runs_session on ms_runs (session_ref, turn)',
    'create index ms_runs_user on ms_runs (user_id, id)',
    // A user's running executions are counted whenever one starts; they are few among all rows.
    "create index ms_runs_running_user on ms_runs (user_id) where status = 'running'",
    `create table ms_run_steps (
      run_ref ${int} not null references ms_runs (id) on delete cascade,
      step_key text not null,
      epoch ${int} not null,
      result text not null,
      tokens ${int} not null,
      created_at ${int} not null,
      primary key (run_ref, step_key)
    )`,
    `create table ms_run_checkpoints (
      id ${id},
      checkpoint_id text not null unique,
      run_ref ${int} not null references ms_runs (id) on delete cascade,
      session_ref ${int} not null,
      iteration ${int} not null,
      config text not null,
      state text not null,
      created_at ${int} not null
    )`,
    'create index ms_run_checkpoints_session on ms_run_checkpoints (session_ref, id)',
    'create index ms_run_checkpoints_run on ms_run_checkpoints (run_ref, id)',
    // The last number outlives the events themselves, so that none is reused.
    `create table ms_run_streams (
      session_ref ${int} primary key references ms_sessions (id) on delete cascade,
      last_seq ${int} not null,
      turns ${int} not null
    )`,
    `create table ms_run_events (
      session_ref ${int} not null references ms_run_streams (session_ref) on delete cascade,
      seq ${int} not null,
      run_ref ${int} not null,
      event text not null,
      data text not null,
      created_at ${int} not null,
      primary key (session_ref, seq)
    )`,
    'create index ms_run_events_age on ms_run_events (created_at)',
  ],
};
