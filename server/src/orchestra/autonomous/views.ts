import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { quotaToUsd } from '../../lib/money.ts';
import type { Db } from '../../platform/db/tables.ts';
import { approve, maxCost, shownConfig } from './config.ts';
import { runStatuses } from './events.ts';
import { emptyPausedRunView, type PausedRunView, pausedRunViewOf } from './paused-run-view.ts';
import { shortfallsOf } from './state.ts';
import { lastCheckpointId } from './store/reads.ts';
import type { Run } from './store/runs.ts';

const shortfalls = z.array(z.string()).meta({ description: 'How the result falls short of the goal, as text' });

const calls = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    arguments: z.string().meta({ description: 'JSON as written by the model' }),
    task_id: z.string(),
  }),
);
/** Fields of runs that stopped before completing. */
const rest = {
  checkpoint_id: z.string().nullable().meta({ description: 'Checkpoint of the pause, used to resume' }),
  partial_result: z.string().nullable().meta({ description: 'Work finished before the pause' }),
  remaining: z.array(z.string()).meta({ description: 'Titles of unfinished tasks' }),
  pending_tool_calls: calls.meta({ description: 'Calls to your tools; submit their results with tool-results' }),
  pending_approvals: calls.meta({
    description: 'Calls that require approval; decide on each with approve',
  }),
};

export const executionSchema = z
  .object({
    execution_id: z.string(),
    session_id: z.string(),
    status: z.enum(runStatuses),
    ...z.object({ reason: z.string().nullable(), ...rest }).partial().shape,
    result: z.string().nullable(),
    error: z.string().nullable(),
    shortfalls: shortfalls.optional(),
    events_url: z.string(),
  })
  .meta({ id: 'Execution' });

export const eventsUrl = (sessionId: string): string =>
  `/api/svc-ms/autonomous/${encodeURIComponent(sessionId)}/events`;

export const executionView = (run: Run, resting: Resting) => ({
  execution_id: run.executionId,
  session_id: run.sessionId,
  status: run.status,
  ...(isAtRest(run) && { reason: run.reason, ...resting }),
  result: run.result,
  error: run.error,
  ...(shortfallsIn(run).length > 0 && { shortfalls: shortfallsIn(run) }),
  events_url: eventsUrl(run.sessionId),
});

type Resting = PausedRunView & { checkpoint_id: string | null };

/** Neither running nor completed, so it can be resumed. */
const isAtRest = ({ status }: Run): boolean => status !== 'running' && status !== 'completed';

/** Results and open items of a run that can be resumed. */
export async function restingView(db: Db, run: Run): Promise<Resting> {
  if (!isAtRest(run)) return { checkpoint_id: null, ...emptyPausedRunView() };
  // Runs stopped by an earlier version have no checkpoint in their row.
  const checkpoint_id = run.checkpointId ?? (await lastCheckpointId(db, run.ref));
  return { checkpoint_id, ...(await pausedRunViewOf(db, run.ref, run.state)) };
}

/** Empty while the run is active, because nothing is final yet. */
const shortfallsIn = ({ status, state }: Run): string[] => (status === 'running' ? [] : shortfallsOf(state));

const common = {
  execution_id: z.string(),
  session_id: z.string(),
  status: z.enum(runStatuses),
  reason: z.string().nullable(),
  goal: z.string(),
  current_iteration: z.number().int(),
  tasks_completed: z.number().int(),
  tasks_failed: z.number().int(),
  tasks_total: z.number().int(),
  total_tokens_used: z.number().int(),
  cost: z.number().meta({ description: 'Cost of ended calls in dollars' }),
  total_cost: z.number().int().meta({ description: 'The same cost in quota units' }),
  elapsed_time_secs: z.number().int(),
  current_task: z.string().nullable(),
  goal_confidence: z.number(),
  checkpoints_created: z.number().int(),
  created_at: z.number().int(),
  updated_at: z.number().int(),
};

export const summarySchema = z.object(common).meta({ id: 'ExecutionSummary' });

export const statusSchema = z
  .object({
    ...common,
    ...rest,
    result: z.string().nullable(),
    error: z.string().nullable(),
    shortfalls,
    events_url: z.string(),
    config: z.looseObject({}),
    max_cost: maxCost,
    approve,
    plan: z.object({
      plan_id: z.string(),
      description: z.string(),
      revision: z.number().int(),
      tasks: z.array(
        z.object({
          task_id: z.string(),
          title: z.string(),
          instruction: z.string(),
          difficulty: z.string(),
          depends_on: z.array(z.string()),
          status: z.enum(['pending', 'completed', 'failed', 'skipped']),
          attempts: z.number().int(),
          score: z.number().nullable(),
        }),
      ),
    }),
  })
  .meta({ id: 'ExecutionStatus' });

/** For a run that is being worked on, adds the time since its last write. */
function elapsedMs(run: Run, clock: Clock): number {
  const now = clock.nowMs();
  const held = run.status === 'running' && run.held;
  return run.elapsedMs + (held ? Math.max(0, now - run.updatedMs) : 0);
}

export const summaryView = (run: Run, clock: Clock) => ({
  execution_id: run.executionId,
  session_id: run.sessionId,
  status: run.status,
  reason: run.reason,
  goal: run.goal,
  current_iteration: run.iteration,
  tasks_completed: run.tasksCompleted,
  tasks_failed: run.tasksFailed,
  tasks_total: run.tasksTotal,
  total_tokens_used: run.tokens,
  cost: quotaToUsd(run.cost),
  total_cost: run.cost,
  elapsed_time_secs: Math.floor(elapsedMs(run, clock) / 1000),
  current_task: run.currentTask,
  goal_confidence: run.confidence,
  checkpoints_created: run.checkpoints,
  created_at: run.createdAt,
  updated_at: Math.floor(run.updatedMs / 1000),
});

export const statusView = (run: Run, resting: Resting, clock: Clock) => ({
  ...summaryView(run, clock),
  ...resting,
  result: run.result,
  error: run.error,
  shortfalls: shortfallsIn(run),
  events_url: eventsUrl(run.sessionId),
  config: shownConfig(run.config),
  max_cost: run.config.max_cost ?? null,
  approve: run.config.approve ?? ('marked' as const),
  plan: {
    plan_id: run.state.planId,
    description: run.state.description,
    revision: run.state.revision,
    tasks: run.state.tasks.map(({ id, title, instruction, difficulty, depends_on, status, attempts, score }) => ({
      task_id: id,
      title,
      instruction,
      difficulty,
      depends_on,
      status,
      attempts,
      score,
    })),
  },
});
