import type { Turn } from './turn.ts';

export interface Meta {
  session_id: string;
  plan_id: string | null;
  plan_description: string | null;
  current_task: string | null;
  task_status: string;
  tasks_completed: number;
  tasks_total: number;
  tasks_failed: number;
  total_model_calls: number;
  models_used: Record<string, number>;
  memory_mode: string;
  memory_tokens_saved: number;
  context_tokens_used: number;
  execution_time_ms: number;
  vector_search_results: number;
  summary_updated: boolean;
}

export const metaOf = ({ session, settings, meter, progress, deps, startedMs }: Turn): Meta => ({
  session_id: session.sessionId,
  plan_id: progress.planId,
  plan_description: progress.planDescription,
  current_task: progress.currentTask,
  task_status: progress.status,
  tasks_completed: progress.completed,
  tasks_total: progress.total,
  tasks_failed: progress.failed,
  total_model_calls: meter.calls,
  models_used: { ...meter.models },
  memory_mode: settings.memory_mode,
  memory_tokens_saved: progress.tokensSaved,
  context_tokens_used: progress.contextTokens,
  execution_time_ms: deps.clock.nowMs() - startedMs,
  vector_search_results: progress.recalled,
  summary_updated: progress.summaryUpdated,
});
