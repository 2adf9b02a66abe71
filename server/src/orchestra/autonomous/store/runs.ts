import type { Selectable } from 'kysely';
import { randomString } from '../../../lib/ids.ts';
import { pageOfMany, type Range } from '../../../platform/db/list-page.ts';
import type { Db, Tables } from '../../../platform/db/tables.ts';
import type { Caller } from '../../ports.ts';
import type { RunConfig } from '../config.ts';
import type { RunStatus } from '../events.ts';
import type { RunState } from '../state.ts';
import './tables.ts';

export interface Run {
  ref: number;
  executionId: string;
  sessionRef: number;
  sessionId: string;
  caller: Caller;
  goal: string;
  /** The caller's own tools, in the format sent to models. */
  tools: unknown[];
  config: RunConfig;
  state: RunState;
  status: RunStatus;
  reason: string | null;
  result: string | null;
  error: string | null;
  iteration: number;
  tasksCompleted: number;
  tasksFailed: number;
  tasksTotal: number;
  tokens: number;
  cost: number;
  elapsedMs: number;
  currentTask: string | null;
  confidence: number;
  checkpoints: number;
  /** The checkpoint it stopped at; null while it runs, and for runs stopped by an earlier version. */
  checkpointId: string | null;
  turn: number;
  firstSeq: number;
  owner: string | null;
  epoch: number;
  /** Whether its owner is alive. */
  held: boolean;
  createdAt: number;
  updatedMs: number;
}

export const newExecutionId = (): string => `exec-${randomString(24)}`;

const select = (db: Db) =>
  db
    .selectFrom('ms_runs')
    .innerJoin('ms_sessions', 'ms_sessions.id', 'ms_runs.session_ref')
    .leftJoin('owners', 'owners.id', 'ms_runs.owner')
    .selectAll('ms_runs')
    .select(['ms_sessions.session_id', 'owners.id as living']);

/** The session of a run; null if the run is gone or another user's. Without `userId`, any user's run is found. */
export async function sessionOfRun(db: Db, executionId: string, userId?: number): Promise<string | null> {
  const found = await db
    .selectFrom('ms_runs')
    .innerJoin('ms_sessions', 'ms_sessions.id', 'ms_runs.session_ref')
    .select('ms_sessions.session_id')
    .where('ms_runs.execution_id', '=', executionId)
    .$if(userId !== undefined, (runs) => runs.where('ms_runs.user_id', '=', userId!))
    .executeTakeFirst();
  return found?.session_id ?? null;
}

type Row = Selectable<Tables['ms_runs']> & { session_id: string; living: string | null };

const toRun = (row: Row): Run => ({
  ref: row.id,
  executionId: row.execution_id,
  sessionRef: row.session_ref,
  sessionId: row.session_id,
  caller: JSON.parse(row.caller) as Caller,
  goal: row.goal,
  tools: JSON.parse(row.tools) as unknown[],
  config: JSON.parse(row.config) as RunConfig,
  state: JSON.parse(row.state) as RunState,
  status: row.status as RunStatus,
  reason: row.reason,
  result: row.result,
  error: row.error,
  iteration: row.iteration,
  tasksCompleted: row.tasks_completed,
  tasksFailed: row.tasks_failed,
  tasksTotal: row.tasks_total,
  tokens: row.tokens_used,
  cost: row.cost,
  elapsedMs: row.elapsed_ms,
  currentTask: row.current_task,
  confidence: row.confidence,
  checkpoints: row.checkpoints,
  checkpointId: row.checkpoint_id,
  turn: row.turn,
  firstSeq: row.first_seq,
  owner: row.owner,
  epoch: row.epoch,
  held: row.living !== null,
  createdAt: row.created_at,
  updatedMs: row.updated_ms,
});

/** The session's current run: the one started or resumed last. */
export async function latestRun(db: Db, sessionRef: number): Promise<Run | null> {
  const row = await select(db)
    .where('ms_runs.session_ref', '=', sessionRef)
    .orderBy('turn', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? toRun(row) : null;
}

export async function findRun(db: Db, ref: number): Promise<Run | null> {
  const row = await select(db).where('ms_runs.id', '=', ref).executeTakeFirst();
  return row ? toRun(row) : null;
}

export async function listRuns(
  db: Db,
  { userId, status, ...range }: { userId: number; status?: string } & Range,
): Promise<{ runs: Run[]; total: number }> {
  const own = db
    .selectFrom('ms_runs')
    .select('id')
    .where('user_id', '=', userId)
    .$if(status !== undefined, (query) => query.where('status', '=', status!))
    .orderBy('id', 'desc');
  const { rows: page, total } = await pageOfMany(db, own, range);
  if (page.length === 0) return { runs: [], total };
  const ids = page.map(({ id }) => id);
  const rows = await select(db).where('ms_runs.id', 'in', ids).orderBy('ms_runs.id', 'desc').execute();
  return { runs: rows.map(toRun), total };
}
