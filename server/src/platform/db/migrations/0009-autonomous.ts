import type { Migration } from '../migration.ts';

/** Autonomous runs with their journal, checkpoints and events. */
export const migration: Migration = {
  name: '0009-autonomous',
  statements: ({ id, int, real }) => [
    // `lease_until` is in milliseconds: who holds a run is settled by them. `epoch` grows with every change of hands.
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
      lease_until ${int} not null,
      created_at ${int} not null,
      updated_ms ${int} not null
    )`,
    // One running execution per session, whatever races.
    "create unique index ms_runs_running on ms_runs (session_ref) where status = 'running'",
    "create index ms_runs_lease on ms_runs (lease_until) where status = 'running'",
    'create index ms_runs_session on ms_runs (session_ref, turn)',
    'create index ms_runs_user on ms_runs (user_id, id)',
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
    // The last number given out outlives the events themselves, so that none is ever given twice.
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
