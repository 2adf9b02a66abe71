import { formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
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
const nth = (attempt: number): string => (attempt > 1 ? t(', attempt {attempt}', { attempt }) : '');

const memoryWords: Record<string, string> = {
  summarize: t('Results were summarised'),
  archive: t('Old context was put away'),
  recall: t('Past sessions and knowledge were searched'),
  store: t('The result was remembered'),
};

type Said = [text: string, tone?: LogLine['tone']];

/** Pieces of output and small progress would drown the rest. */
function say(event: RunEvent, title: (id: string) => string): Said | null {
  switch (event.event_type) {
    case 'execution_started': {
      const count = event.plan.tasks.length;
      const plan = `${count} ${count === 1 ? 'task' : 'tasks'} planned`;
      return [
        event.resumed_from
          ? t('Resumed from {resumedFrom}', { resumedFrom: event.resumed_from })
          : t('Started: {plan}', { plan }),
      ];
    }
    case 'plan_updated':
      return [t('Plan revised: {reason}', { reason: event.reason })];
    case 'task_started':
      return [
        t('“{title}” started with {model}{attempt}', {
          title: event.title,
          model: event.model,
          attempt: nth(event.attempt),
        }),
      ];
    case 'task_completed':
      return [
        t('“{taskId}” done in {executionTimeMs}, {tokensUsed} tokens', {
          taskId: title(event.task_id),
          executionTimeMs: seconds(event.execution_time_ms),
          tokensUsed: formatNumber(event.tokens_used),
        }),
        'good',
      ];
    case 'task_failed': {
      const next = event.will_retry
        ? ` Trying again${event.next_model ? t(' with {nextModel}', { nextModel: event.next_model }) : ''}.`
        : '';
      return [
        t('“{taskId}” failed: {error}.{next}', { taskId: title(event.task_id), error: event.error, next }).replace(
          '..',
          '.',
        ),
        'bad',
      ];
    }
    case 'task_redone':
      return [t('“{title}” is done again: {reason}', { title: event.title, reason: event.reason })];
    case 'model_failover':
      return [
        t('{to} is asked in place of {from} ({value})', {
          to: event.to,
          from: event.from,
          value: event.why.replaceAll('_', ' '),
        }),
        'quiet',
      ];
    case 'tool_call_started':
      return [t('“{taskId}” calls {name}', { taskId: title(event.task_id), name: event.name })];
    case 'tool_call_finished':
      return [t('{name} has answered “{taskId}”', { name: event.name, taskId: title(event.task_id) }), 'quiet'];
    case 'approval_requested':
      return [
        t('“{taskId}” wants to call {name}, if somebody allows it', { taskId: title(event.task_id), name: event.name }),
      ];
    case 'task_evaluated':
      return [
        t('“{taskId}” scored {score}: {feedback}', {
          taskId: title(event.task_id),
          score: percent(event.score),
          feedback: event.feedback,
        }),
      ];
    case 'memory_operation':
      return [
        t('{value} ({tokensBefore} → {tokensAfter} tokens)', {
          value: memoryWords[event.operation] ?? event.operation,
          tokensBefore: formatNumber(event.tokens_before),
          tokensAfter: formatNumber(event.tokens_after),
        }),
        'quiet',
      ];
    case 'context_updated':
      return [
        `Context: ${formatNumber(event.tokens_used)} of ${formatNumber(event.tokens_limit)} tokens${event.compressed ? t(', shortened') : ''}`,
        'quiet',
      ];
    case 'knowledge_extracted':
      return [`Learned: ${event.entries.map((entry) => entry.title).join(', ') || event.count}`];
    case 'checkpoint_created':
      return [t('Checkpoint after iteration {iteration}', { iteration: event.iteration }), 'quiet'];
    case 'progress_update':
      return [
        t('Iteration {iteration}: {goalConfidence} sure that the goal is reached', {
          iteration: event.iteration,
          goalConfidence: percent(event.goal_confidence),
        }),
      ];
    case 'execution_completed':
      return [t('Completed, {goalConfidence} sure', { goalConfidence: percent(event.goal_confidence) }), 'good'];
    case 'execution_paused':
      return event.status === 'cancelled'
        ? [t('Cancelled'), 'bad']
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
