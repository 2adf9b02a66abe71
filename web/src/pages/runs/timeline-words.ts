import { t } from '../../language/words.ts';
import { reasonWords } from './run-words.ts';
import type { TimelineEntry } from './runs-queries.ts';

/** Purposes of model calls. */
const purposes: Record<string, string> = {
  task: t('Task'),
  evaluation: t('Evaluation'),
  shortening: t('Shortening a result'),
  plan: t('Planning'),
  judge: t('Checking the goal'),
  result: t('Writing the result'),
  knowledge: t('Extracting knowledge'),
  recall: t('Memory access'),
  memory: t('Memory access'),
};

const decisions: Record<string, string> = {
  plan_updated: t('Plan revised'),
  task_redone: t('Task redone'),
  task_failed: t('Attempt failed'),
  model_failover: t('Model switched'),
  task_evaluated: t('Task scored'),
  progress_update: t('Goal checked'),
};

const ends: Record<string, string> = {
  completed: t('Completed'),
  failed: t('Failed'),
  started: t('Started##event'),
  resumed: t('Resumed'),
};

/** One line that describes the entry. */
export function entryWords({ kind, what, status }: Pick<TimelineEntry, 'kind' | 'what' | 'status'>): string {
  if (kind === 'model_call') return purposes[what] ?? what;
  if (kind === 'tool_call') return t('Tool {name}', { name: what });
  if (kind === 'approval') return t('Approval requested for {name}', { name: what });
  if (kind === 'decision') return decisions[what] ?? what.replaceAll('_', ' ');
  if (kind === 'pause')
    return status === 'cancelled' ? t('Cancelled') : t('Paused: {reason}', { reason: reasonWords(what) });
  return ends[what] ?? what;
}

export const kindWords: Record<TimelineEntry['kind'], { label: string; color: string }> = {
  start: { label: t('Start'), color: 'indigo' },
  model_call: { label: t('Model'), color: 'violet' },
  tool_call: { label: t('Tool'), color: 'cyan' },
  approval: { label: t('Approval'), color: 'orange' },
  decision: { label: t('Decision'), color: 'gray' },
  pause: { label: t('Pause'), color: 'orange' },
  end: { label: t('End##of a run'), color: 'teal' },
};
