import { reasonWords } from './run-words.ts';
import type { TimelineEntry } from './runs-queries.ts';

/** What a model was asked for. */
const purposes: Record<string, string> = {
  task: 'Task',
  evaluation: 'Evaluation',
  shortening: 'Shortening of a result',
  plan: 'Planning',
  judge: 'Judging the goal',
  result: 'Writing the result',
  knowledge: 'Learning from it',
  recall: 'Remembering',
  memory: 'Remembering',
};

const decisions: Record<string, string> = {
  plan_updated: 'Plan revised',
  task_redone: 'Done again',
  task_failed: 'An attempt failed',
  model_failover: 'Another model',
  task_evaluated: 'Scored',
  progress_update: 'Judged',
};

const ends: Record<string, string> = {
  completed: 'Completed',
  failed: 'Failed',
  started: 'Started',
  resumed: 'Resumed',
};

/** One line on what happened. */
export function entryWords({ kind, what, status }: Pick<TimelineEntry, 'kind' | 'what' | 'status'>): string {
  if (kind === 'model_call') return purposes[what] ?? what;
  if (kind === 'tool_call') return `Tool ${what}`;
  if (kind === 'approval') return `Asked whether to call ${what}`;
  if (kind === 'decision') return decisions[what] ?? what.replaceAll('_', ' ');
  if (kind === 'pause') return status === 'cancelled' ? 'Cancelled' : `At rest: ${reasonWords(what)}`;
  return ends[what] ?? what;
}

export const kindWords: Record<TimelineEntry['kind'], { label: string; color: string }> = {
  start: { label: 'Start', color: 'indigo' },
  model_call: { label: 'Model', color: 'violet' },
  tool_call: { label: 'Tool', color: 'cyan' },
  approval: { label: 'Approval', color: 'orange' },
  decision: { label: 'Decision', color: 'gray' },
  pause: { label: 'Pause', color: 'orange' },
  end: { label: 'End', color: 'teal' },
};

export const tookWords = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);
