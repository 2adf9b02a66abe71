import { formatMs, formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import type { EventOf, RunEvent } from './run-events.ts';
import { percentWords, reasonWords, runLook } from './run-words.ts';
import { failureWords, joinNames, translateServerText } from './server-words.ts';

/** One line of the feed. */
export interface LogLine {
  id: number;
  /** Unix seconds. */
  at: number;
  event: string;
  text: string;
  tone: 'plain' | 'good' | 'bad' | 'quiet';
}

const memoryWords: Record<string, string> = {
  summarize: t('Results summarised'),
  archive: t('Old context archived'),
  recall: t('Past sessions and knowledge searched'),
  store: t('Result stored in memory'),
};

function failureLine({ error, will_retry, next_model: model }: EventOf<'task_failed'>, task: string): string {
  // The sentence adds its own full stop.
  const values = { task, error: translateServerText(error).replace(/[.。]$/, '') };
  if (!will_retry) return t('“{task}” failed: {error}.', values);
  return model
    ? t('“{task}” failed: {error}. Trying again with {model}.', { ...values, model })
    : t('“{task}” failed: {error}. Trying again.', values);
}

type Said = [text: string, tone?: LogLine['tone']];

/** Null for output chunks and small progress updates, which would flood the feed. */
function say(event: RunEvent, title: (id: string) => string): Said | null {
  switch (event.event_type) {
    case 'execution_started':
      return [
        event.resumed_from
          ? t('Resumed from {checkpoint}', { checkpoint: event.resumed_from })
          : t('Started: {count, plural, one {# task} other {# tasks}} planned', { count: event.plan.tasks.length }),
      ];
    case 'plan_updated':
      return [t('Plan revised: {reason}', { reason: translateServerText(event.reason) })];
    case 'task_started': {
      const { title: task, model, attempt } = event;
      return [
        attempt > 1
          ? t('“{task}” started with {model}, attempt {attempt}', { task, model, attempt })
          : t('“{task}” started with {model}', { task, model }),
      ];
    }
    case 'task_completed':
      return [
        t('“{task}” done in {time}, {tokens, plural, one {# token} other {# tokens}}', {
          task: title(event.task_id),
          time: formatMs(event.execution_time_ms),
          tokens: event.tokens_used,
        }),
        'good',
      ];
    case 'task_failed':
      return [failureLine(event, title(event.task_id)), 'bad'];
    case 'task_redone':
      return [
        t('“{task}” is being redone: {reason}', { task: event.title, reason: translateServerText(event.reason) }),
      ];
    case 'model_failover':
      return [
        t('{to} is used instead of {from} ({why})', {
          to: event.to,
          from: event.from,
          why: failureWords(event.why),
        }),
        'quiet',
      ];
    case 'tool_call_started':
      return [t('“{task}” calls {tool}', { task: title(event.task_id), tool: event.name })];
    case 'tool_call_finished':
      return [t('{tool} returned a result to “{task}”', { tool: event.name, task: title(event.task_id) }), 'quiet'];
    case 'approval_requested':
      return [t('“{task}” requests approval to call {tool}', { task: title(event.task_id), tool: event.name })];
    case 'task_evaluated':
      return [
        t('“{task}” scored {score}: {feedback}', {
          task: title(event.task_id),
          score: percentWords(event.score),
          feedback: translateServerText(event.feedback),
        }),
      ];
    case 'memory_operation':
      return [
        t('{what} ({before} → {after, plural, one {# token} other {# tokens}})', {
          what: memoryWords[event.operation] ?? event.operation,
          before: formatNumber(event.tokens_before),
          after: event.tokens_after,
        }),
        'quiet',
      ];
    case 'context_updated': {
      const tokens = { used: formatNumber(event.tokens_used), most: formatNumber(event.tokens_limit) };
      return [
        event.compressed
          ? t('Context: {used} of {most} tokens, shortened', tokens)
          : t('Context: {used} of {most} tokens', tokens),
        'quiet',
      ];
    }
    case 'knowledge_extracted':
      return [t('Learned: {what}', { what: joinNames(event.entries.map((entry) => entry.title)) || event.count })];
    case 'checkpoint_created':
      return [t('Checkpoint after iteration {iteration}', { iteration: event.iteration }), 'quiet'];
    case 'progress_update':
      return [
        t('Iteration {iteration}: {confidence} confident that the goal is reached', {
          iteration: event.iteration,
          confidence: percentWords(event.goal_confidence),
        }),
      ];
    case 'execution_completed':
      return [t('Completed with {confidence} confidence', { confidence: percentWords(event.goal_confidence) }), 'good'];
    case 'execution_paused':
      return event.status === 'cancelled'
        ? [t('Cancelled'), 'bad']
        : [t('{status}: {reason}', { status: runLook(event.status).label, reason: reasonWords(event.reason) }), 'bad'];
    case 'error':
      return [translateServerText(event.message), 'bad'];
    default:
      return null;
  }
}

export function lineOf(id: number, event: RunEvent, tasks: { id: string; title: string }[]): LogLine | null {
  const title = (taskId: string) => tasks.find((task) => task.id === taskId)?.title ?? taskId;
  const said = say(event, title);
  return said && { id, at: event.timestamp, event: event.event_type, text: said[0], tone: said[1] ?? 'plain' };
}
