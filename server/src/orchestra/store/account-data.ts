import { inBatches, onePage, type PersonalData, pages } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import '../autonomous/store/tables.ts';
import { removeSession } from './sessions.ts';
import './tables.ts';

const sessionsOf = (db: Db, userId: number) =>
  pages<{ id: number }>((last, limit) =>
    db
      .selectFrom('ms_sessions')
      .selectAll()
      .where('user_id', '=', userId)
      .where('id', '>', last?.id ?? 0)
      .orderBy('id')
      .limit(limit)
      .execute(),
  );

/** Rows that hang on a session, session by session: that is how they are indexed. */
async function* bySession<R extends { id: number }>(
  db: Db,
  userId: number,
  read: (session: number, after: number, limit: number) => Promise<R[]>,
): AsyncGenerator<R[]> {
  for await (const sessions of sessionsOf(db, userId))
    for (const { id } of sessions) yield* pages<R>((last, limit) => read(id, last?.id ?? 0, limit));
}

const messagesOf = (db: Db, session: number, after: number, limit: number) =>
  db
    .selectFrom('ms_messages')
    .select(['id', 'session_ref', 'message', 'model', 'tokens', 'superseded', 'created_at'])
    .where('session_ref', '=', session)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

const summariesOf = (db: Db, session: number, after: number, limit: number) =>
  db
    .selectFrom('ms_summaries')
    .select(['id', 'session_ref', 'content', 'created_at'])
    .where('session_ref', '=', session)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

const plansOf = (db: Db, session: number, after: number, limit: number) =>
  db
    .selectFrom('ms_plans')
    .select(['id', 'session_ref', 'plan_id', 'status', 'state', 'created_at', 'updated_at'])
    .where('session_ref', '=', session)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

const runsOf = (db: Db, session: number, after: number, limit: number) =>
  db
    .selectFrom('ms_runs')
    .select(['id', 'session_ref', 'execution_id', 'goal', 'tools', 'config', 'status', 'reason', 'result', 'error'])
    .select([
      'state',
      'iteration',
      'tasks_completed',
      'tasks_failed',
      'tokens_used',
      'cost',
      'confidence',
      'created_at',
    ])
    .where('session_ref', '=', session)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

/** What the tasks of runs came to, and what was said to their tools. */
async function* stepsOf(db: Db, userId: number) {
  for await (const runs of bySession(db, userId, (session, after, limit) => runsOf(db, session, after, limit)))
    for (const { id } of runs)
      yield* pages<{ step_key: string }>((last, limit) =>
        db
          .selectFrom('ms_run_steps')
          .select(['run_ref', 'step_key', 'result', 'created_at'])
          .where('run_ref', '=', id)
          .where('step_key', '>', last?.step_key ?? '')
          .orderBy('step_key')
          .limit(limit)
          .execute(),
      );
}

export const exportOf = (db: Db, userId: number): PersonalData => ({
  sessions: sessionsOf(db, userId),
  messages: bySession(db, userId, (session, after, limit) => messagesOf(db, session, after, limit)),
  summaries: bySession(db, userId, (session, after, limit) => summariesOf(db, session, after, limit)),
  plans: bySession(db, userId, (session, after, limit) => plansOf(db, session, after, limit)),
  runs: bySession(db, userId, (session, after, limit) => runsOf(db, session, after, limit)),
  run_steps: stepsOf(db, userId),
  knowledge: pages<{ id: number }>((last, limit) =>
    db
      .selectFrom('ms_knowledge')
      .selectAll()
      .where('user_id', '=', userId)
      .where('id', '>', last?.id ?? 0)
      .orderBy('id')
      .limit(limit)
      .execute(),
  ),
  sources: pages<{ id: number }>((last, limit) =>
    db
      .selectFrom('ms_sources')
      .select(['id', 'public_id', 'project_id', 'name', 'kind', 'content_hash', 'size', 'category', 'keywords'])
      .select(['state', 'error', 'created_at', 'updated_at'])
      .where('user_id', '=', userId)
      .where('id', '>', last?.id ?? 0)
      .orderBy('id')
      .limit(limit)
      .execute(),
  ),
  learned_patterns: onePage(() => db.selectFrom('ms_patterns').selectAll().where('user_id', '=', userId).execute()),
  preferences: onePage(() => db.selectFrom('ms_preferences').selectAll().where('user_id', '=', userId).execute()),
});

/** Public ids of the sessions in which an execution runs. */
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
  // What is being stored of them stops with the first statement.
  await db.updateTable('ms_sources').set({ state: 'deleting' }).where('user_id', '=', userId).execute();
  await inBatches((most) => deleteKnowledge(db, userId, most));
  await db.deleteFrom('ms_sources').where('user_id', '=', userId).execute();
  await db.deleteFrom('ms_patterns').where('user_id', '=', userId).execute();
  await db.deleteFrom('ms_preferences').where('user_id', '=', userId).execute();
}

async function deleteKnowledge(db: Db, userId: number, most: number): Promise<number> {
  const gone = await db
    .deleteFrom('ms_knowledge')
    .where('id', 'in', (e) => e.selectFrom('ms_knowledge').select('id').where('user_id', '=', userId).limit(most))
    .executeTakeFirst();
  return Number(gone.numDeletedRows);
}
