/** The events of an autonomous run, as sent by the service. */

export interface TaskOverview {
  task_id: string;
  title: string;
  difficulty: string;
  depends_on: string[];
}

export interface Progress {
  iteration: number;
  tasks_completed: number;
  tasks_total: number;
  tasks_failed: number;
  tokens_used: number;
  elapsed_secs: number;
  goal_confidence: number;
}

interface Bodies {
  execution_started: { goal: string; plan: { description: string; tasks: TaskOverview[] }; resumed_from?: string };
  plan_updated: { revision: number; reason: string; tasks: TaskOverview[] };
  task_started: { task_id: string; title: string; model: string; difficulty: string; attempt: number };
  task_progress: { task_id: string; progress: number; message: string };
  task_content_chunk: { task_id: string; content: string };
  task_completed: {
    task_id: string;
    tokens_used: number;
    execution_time_ms: number;
    attempt: number;
    result_preview: string;
  };
  task_failed: { task_id: string; error: string; attempt: number; will_retry: boolean; next_model?: string };
  task_redone: { task_id: string; title: string; reason: string; attempt: number };
  model_failover: { from: string; to: string; why: string; task_id?: string };
  tool_call_started: { task_id: string; tool_call_id: string; name: string; arguments: string };
  tool_call_finished: { task_id: string; tool_call_id: string; name: string };
  approval_requested: { task_id: string; tool_call_id: string; name: string; arguments: string };
  task_evaluated: { task_id: string; score: number; feedback: string };
  memory_operation: { operation: string; tokens_before: number; tokens_after: number };
  context_updated: { tokens_used: number; tokens_limit: number; compressed: boolean };
  knowledge_extracted: { count: number; entries: { id: string; category: string; title: string }[] };
  checkpoint_created: { checkpoint_id: string; iteration: number };
  progress_update: Progress;
  execution_completed: { result: string; goal_confidence: number };
  execution_paused: { reason: string; status: string; checkpoint_id: string };
  error: { message: string; recoverable: boolean; checkpoint_id: string };
}

export type EventOf<Name extends keyof Bodies> = { event_type: Name; timestamp: number } & Bodies[Name];
export type RunEvent = { [Name in keyof Bodies]: EventOf<Name> }[keyof Bodies];

const names: Record<keyof Bodies, true> = {
  execution_started: true,
  plan_updated: true,
  task_started: true,
  task_progress: true,
  task_content_chunk: true,
  task_completed: true,
  task_failed: true,
  task_redone: true,
  model_failover: true,
  tool_call_started: true,
  tool_call_finished: true,
  approval_requested: true,
  task_evaluated: true,
  memory_operation: true,
  context_updated: true,
  knowledge_extracted: true,
  checkpoint_created: true,
  progress_update: true,
  execution_completed: true,
  execution_paused: true,
  error: true,
};
export const eventNames = Object.keys(names) as (keyof Bodies)[];

/** Null for event types that this page does not know, which a newer service may send. */
export function parseEvent(data: string): RunEvent | null {
  try {
    const event = JSON.parse(data) as RunEvent;
    return event.event_type in names ? event : null;
  } catch {
    return null;
  }
}
