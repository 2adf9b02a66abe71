import { deletingOf } from '../../platform/db/delete-rows.ts';
import { inBatches, onePage, type PersonalData, rowsOf } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import '../autonomous/store/tables.ts';
import { removeSession } from './sessions.ts';
import './tables.ts';

const sessionsOf = (db: Db, userId: number) => rowsOf(db, 'ms_sessions', { of: { user_id: userId } });

/** Rows that belong to sessions, read session by session, as they are indexed. */
async function* bySession<R>(db: Db, userId: number, read: (session: number) => AsyncGenerator<R>): AsyncGenerator<R> {
  for await (const sessions of sessionsOf(db, userId)) for (const { id } of sessions) yield* read(id);
}

const runsOf = (db: Db, session: number) =>
  rowsOf(db, 'ms_runs', {
    of: { session_ref: session },
    columns: [
      ...(['id', 'session_ref', 'execution_id', 'goal', 'tools', 'config', 'status', 'reason', 'result'] as const),
      ...(['error', 'state', 'iteration', 'tasks_completed', 'tasks_failed', 'tokens_used', 'cost'] as const),
      ...(['confidence', 'created_at'] as const),
    ],
  });

/** Recorded steps of runs: results of their tasks, and what was sent to their tools. */
async function* stepsOf(db: Db, userId: number) {
  for await (const runs of bySession(db, userId, (session) => runsOf(db, session)))
    for (const { id } of runs)
      yield* rowsOf(db, 'ms_run_steps', {
        ...{ of: { run_ref: id }, by: ['step_key'], columns: ['run_ref', 'step_key', 'result', 'created_at'] },
      });
}

export const exportOf = (db: Db, userId: number): PersonalData => ({
  sessions: sessionsOf(db, userId),
  messages: bySession(db, userId, (session) =>
    rowsOf(db, 'ms_messages', {
      of: { session_ref: session },
      columns: ['id', 'session_ref', 'message', 'model', 'tokens', 'superseded', 'created_at'],
    }),
  ),
  summaries: bySession(db, userId, (session) =>
    rowsOf(db, 'ms_summaries', {
      of: { session_ref: session },
      columns: ['id', 'session_ref', 'content', 'created_at'],
    }),
  ),
  plans: bySession(db, userId, (session) =>
    rowsOf(db, 'ms_plans', {
      of: { session_ref: session },
      columns: ['id', 'session_ref', 'plan_id', 'status', 'state', 'created_at', 'updated_at'],
    }),
  ),
  runs: bySession(db, userId, (session) => runsOf(db, session)),
  run_steps: stepsOf(db, userId),
  knowledge: rowsOf(db, 'ms_knowledge', { of: { user_id: userId } }),
  sources: rowsOf(db, 'ms_sources', {
    of: { user_id: userId },
    columns: [
      ...(['id', 'public_id', 'project_id', 'name', 'kind', 'content_hash', 'size', 'category', 'keywords'] as const),
      ...(['state', 'error', 'created_at', 'updated_at'] as const),
    ],
  }),
  learned_patterns: onePage(() => db.selectFrom('ms_patterns').selectAll().where('user_id', '=', userId).execute()),
  preferences: onePage(() => db.selectFrom('ms_preferences').selectAll().where('user_id', '=', userId).execute()),
});

/** Public ids of the sessions with a running execution. */
export async function runningSessionsOf(db: Db, userId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('ms_runs as r')
    .innerJoin('ms_sessions as s', 's.id', 'r.session_ref')
    .select('s.session_id')
    .where('r.user_id', '=', userId)
    .where('r.status', '=', 'running')
    .execute();
  return rows.map((row) => row.session_id);
}

export async function forget(db: Db, userId: number): Promise<void> {
  for await (const sessions of sessionsOf(db, userId)) for (const { id } of sessions) await removeSession(db, id);
  // Set first, so that imports in progress stop storing entries.
  await db.updateTable('ms_sources').set({ state: 'deleting' }).where('user_id', '=', userId).execute();
  await inBatches((most) => deleteKnowledge(db, userId, most));
  await db.deleteFrom('ms_sources').where('user_id', '=', userId).execute();
  await db.deleteFrom('ms_patterns').where('user_id', '=', userId).execute();
  await db.deleteFrom('ms_preferences').where('user_id', '=', userId).execute();
}

const deleteKnowledge = deletingOf('ms_knowledge', 'id', 'user_id');
