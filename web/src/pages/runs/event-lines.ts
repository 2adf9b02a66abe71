import { formatNumber } from '../../format.ts';
import type { RunEvent } from './run-events.ts';
import { reasonWords, runLook } from './run-words.ts';

/** One line of the feed. */
export interface LogLine {
  id: number;
  /** Unix seconds. */
  at: number;
  event: string;
  text: string;
  tone: 'plain' | 'good' | 'bad' | 'quiet';
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const nth = (attempt: number): string => (attempt > 1 ? `, attempt ${attempt}` : '');

const memoryWords: Record<string, string> = {
  summarize: 'Results were summarised',
  archive: 'Old context was put away',
  recall: 'Past sessions and knowledge were searched',
  store: 'The result was remembered',
};

type Said = [text: string, tone?: LogLine['tone']];

/** Pieces of output and small progress would drown the rest. */
function say(event: RunEvent, title: (id: string) => string): Said | null {
  switch (event.event_type) {
    case 'execution_started': {
      const count = event.plan.tasks.length;
      const plan = `${count} ${count === 1 ? 'task' : 'tasks'} planned`;
      return [event.resumed_from ? `Resumed from ${event.resumed_from}` : `Started: ${plan}`];
    }
    case 'plan_updated':
      return [`Plan revised: ${event.reason}`];
    case 'task_started':
      return [`“${event.title}” started with ${event.model}${nth(event.attempt)}`];
    case 'task_completed':
      return [
        `“${title(event.task_id)}” done in ${seconds(event.execution_time_ms)}, ${formatNumber(event.tokens_used)} tokens`,
        'good',
      ];
    case 'task_failed': {
      const next = event.will_retry ? ` Trying again${event.next_model ? ` with ${event.next_model}` : ''}.` : '';
      return [`“${title(event.task_id)}” failed: ${event.error}.${next}`.replace('..', '.'), 'bad'];
    }
    case 'task_redone':
      return [`“${event.title}” is done again: ${event.reason}`];
    case 'model_failover':
      return [`${event.to} is asked in place of ${event.from} (${event.why.replaceAll('_', ' ')})`, 'quiet'];
    case 'tool_call_started':
      return [`“${title(event.task_id)}” calls ${event.name}`];
    case 'tool_call_finished':
      return [`${event.name} has answered “${title(event.task_id)}”`, 'quiet'];
    case 'approval_requested':
      return [`“${title(event.task_id)}” wants to call ${event.name}, if somebody allows it`];
    case 'task_evaluated':
      return [`“${title(event.task_id)}” scored ${percent(event.score)}: ${event.feedback}`];
    case 'memory_operation':
      return [
        `${memoryWords[event.operation] ?? event.operation} (${formatNumber(event.tokens_before)} → ${formatNumber(event.tokens_after)} tokens)`,
        'quiet',
      ];
    case 'context_updated':
      return [
        `Context: ${formatNumber(event.tokens_used)} of ${formatNumber(event.tokens_limit)} tokens${event.compressed ? ', shortened' : ''}`,
        'quiet',
      ];
    case 'knowledge_extracted':
      return [`Learned: ${event.entries.map((entry) => entry.title).join(', ') || event.count}`];
    case 'checkpoint_created':
      return [`Checkpoint after iteration ${event.iteration}`, 'quiet'];
    case 'progress_update':
      return [`Iteration ${event.iteration}: ${percent(event.goal_confidence)} sure that the goal is reached`];
    case 'execution_completed':
      return [`Completed, ${percent(event.goal_confidence)} sure`, 'good'];
    case 'execution_paused':
      return event.status === 'cancelled'
        ? ['Cancelled', 'bad']
        : [`${runLook(event.status).label}: ${reasonWords(event.reason)}`, 'bad'];
    case 'error':
      return [event.message, 'bad'];
    default:
      return null;
  }
}

export function lineOf(id: number, event: RunEvent, tasks: { id: string; title: string }[]): LogLine | null {
  const title = (taskId: string) => tasks.find((task) => task.id === taskId)?.title ?? taskId;
  const said = say(event, title);
  return said && { id, at: event.timestamp, event: event.event_type, text: said[0], tone: said[1] ?? 'plain' };
}
