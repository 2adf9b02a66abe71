import type { PlanTask } from '../plan.ts';
import type { Failover } from '../task/failover.ts';
import type { shownConfig } from './config.ts';
import type { PausedRunView } from './paused-run-view.ts';

export type PauseReason =
  | 'max_iterations'
  | 'max_time'
  | 'max_cost'
  | 'insufficient_quota'
  | 'tool_calls'
  | 'approval'
  | 'tools_unavailable'
  | 'provider_unavailable'
  | 'stalled'
  | 'key_revoked'
  | 'user_disabled'
  | 'model_not_allowed'
  | 'cancelled';
export const runStatuses = [
  'running',
  'paused',
  'waiting_for_tools',
  'waiting_for_approval',
  'completed',
  'failed',
  'cancelled',
] as const;
export type RunStatus = (typeof runStatuses)[number];
/** Stopped until the user or the caller acts. */
export const pausedStatuses = ['paused', 'waiting_for_tools', 'waiting_for_approval'] as const;
/** Statuses that allow a resume. */
export const resumableStatuses = [...pausedStatuses, 'failed', 'cancelled'] as const;

/** The run status for a pause reason. */
export function pausedStatus(reason: PauseReason): (typeof pausedStatuses)[number] {
  if (reason === 'tool_calls') return 'waiting_for_tools';
  return reason === 'approval' ? 'waiting_for_approval' : 'paused';
}

export interface TaskOverview {
  task_id: string;
  title: string;
  difficulty: string;
  depends_on: string[];
}

/** Fields of each event, in addition to `event_type, session_id, execution_id, timestamp`. */
export interface RunEvents {
  execution_started: {
    goal: string;
    config: ReturnType<typeof shownConfig>;
    plan: { plan_id: string; description: string; tasks: TaskOverview[] };
    resumed_from?: string;
  };
  plan_updated: { plan_id: string; revision: number; reason: string; tasks: TaskOverview[] };
  task_started: { task_id: string; title: string; model: string; difficulty: string; attempt: number };
  task_progress: { task_id: string; progress: number; message: string };
  task_content_chunk: { task_id: string; content: string };
  task_completed: {
    task_id: string;
    status: 'completed';
    tokens_used: number;
    execution_time_ms: number;
    attempt: number;
    result_preview: string;
  };
  task_failed: { task_id: string; error: string; attempt: number; will_retry: boolean; next_model?: string };
  /** Sent just before the `task_started` of the new round. */
  task_redone: { task_id: string; title: string; reason: string; attempt: number };
  /** `task_id` is set if the failover concerns a task. */
  model_failover: Failover & { task_id?: string };
  tool_call_started: { task_id: string; tool_call_id: string; name: string; arguments: string };
  tool_call_finished: { task_id: string; tool_call_id: string; name: string };
  approval_requested: { task_id: string; tool_call_id: string; name: string; arguments: string };
  task_evaluated: { task_id: string; score: number; feedback: string };
  memory_operation: {
    operation: 'summarize' | 'archive' | 'recall' | 'store';
    tokens_before: number;
    tokens_after: number;
  };
  context_updated: { tokens_used: number; tokens_limit: number; compressed: boolean };
  knowledge_extracted: { count: number; entries: { id: string; category: string; title: string }[] };
  checkpoint_created: { checkpoint_id: string; iteration: number };
  progress_update: {
    iteration: number;
    tasks_completed: number;
    tasks_total: number;
    tasks_failed: number;
    tokens_used: number;
    elapsed_secs: number;
    goal_confidence: number;
  };
  execution_completed: {
    result: string;
    goal_confidence: number;
    tasks_completed: number;
    tasks_failed: number;
    tokens_used: number;
    elapsed_secs: number;
    /** Descriptions of where the run falls short of its goal. */
    shortfalls: string[];
  };
  execution_paused: PausedRunView & { reason: PauseReason; status: RunStatus; checkpoint_id: string };
  error: { message: string; recoverable: boolean; checkpoint_id: string };
}
export type EventName = keyof RunEvents;

export interface RunNames {
  sessionId: string;
  executionId: string;
}

export interface RunEvent {
  event: EventName;
  data: string;
}

export const newEvent = <E extends EventName>(
  { sessionId, executionId }: RunNames,
  timestamp: number,
  event: E,
  data: RunEvents[E],
): RunEvent => ({
  event,
  data: JSON.stringify({
    event_type: event,
    session_id: sessionId,
    execution_id: executionId,
    timestamp,
    ...data,
  }),
});

export const taskOverviews = (tasks: PlanTask[]): TaskOverview[] =>
  tasks.map(({ id, title, difficulty, depends_on }) => ({ task_id: id, title, difficulty, depends_on }));
