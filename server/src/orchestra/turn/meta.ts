import type { Failover } from '../task/failover.ts';

/** `svc_ms_meta` of an answer. */
export interface Meta {
  /** Finds all calls of the turn: usage records and routing decisions have it as `parent_request_id`. */
  request_id: string;
  session_id: string;
  plan_id: string | null;
  plan_description: string | null;
  current_task: string | null;
  task_status: string;
  tasks_completed: number;
  tasks_total: number;
  tasks_failed: number;
  total_model_calls: number;
  /** Dollars, for the calls that have finished. */
  cost: number;
  background_calls: number;
  models_used: Record<string, number>;
  /** Models that replaced others, in order. */
  failovers: Failover[];
  memory_mode: string;
  memory_tokens_saved: number;
  context_tokens_used: number;
  execution_time_ms: number;
  vector_search_results: number;
  summary_updated: boolean;
}
