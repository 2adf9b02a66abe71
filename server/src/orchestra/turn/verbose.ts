import type { PlanTask } from '../plan.ts';
import type { Settings } from '../settings.ts';
import type { RunningPlan } from './plan-turn.ts';

/** With `verbose`, a heading and the result of each task before the answer; otherwise nothing. */
export function sectionsBefore(
  settings: Pick<Settings, 'verbosity' | 'final_only'>,
  plan: Pick<RunningPlan, 'tasks' | 'results'>,
  answering: PlanTask | null,
): string {
  if (settings.verbosity !== 'verbose' || settings.final_only) return '';
  const sections = plan.tasks
    .filter((task) => task !== answering)
    .map((task) => `## ${task.title}\n\n${resultText(plan, task)}\n\n`);
  return `${sections.join('')}## ${answering?.title ?? 'Answer'}\n\n`;
}

function resultText({ results }: Pick<RunningPlan, 'results'>, { id }: PlanTask): string {
  const result = results[id];
  if (result?.status === 'completed') return result.text;
  return result?.status === 'failed' ? `_Failed: ${result.error}._` : '_Not finished._';
}
