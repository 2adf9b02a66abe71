import type { PlanTask } from '../plan.ts';
import { openCalls, type PlanStatus, savePlan, type TaskResult } from '../store/plans.ts';
import type { SharedResult } from '../task/results.ts';
import { distancesTo, runGraph, widthOf } from '../task/schedule.ts';
import { type RunningPlan, tally } from './plan-turn.ts';
import type { Remembering } from './remember.ts';
import { runPlanTask } from './run-task.ts';
import { metaOf, now, type Turn } from './turn.ts';

/** Step 5: runs ready tasks until all are done, or one waits for the client's tools. Results are stored in the plan. */
export async function runPlan(turn: Turn, memory: Remembering, plan: RunningPlan): Promise<void> {
  const done = Object.entries(plan.results).filter(([, { status }]) => status !== 'waiting_for_tools');
  await runGraph<PlanTask, TaskResult>({
    tasks: plan.tasks,
    // A client without parallel tool calls gets one at a time, so tasks must not run in parallel either.
    width: turn.body.parallel_tool_calls === false ? 1 : widthOf(turn.settings.preferences),
    done: new Map(done),
    signal: turn.signal,
    pausesAfter: ({ status }) => status === 'waiting_for_tools',
    run: async (task, results, signal) => {
      turn.progress.currentTask = task.title;
      turn.writer.progress(() => metaOf(turn));
      const distances = distancesTo(plan.tasks, task);
      const before = [...results].map(([id, result]) => ({ ...told(plan, id, result), distance: distances.get(id) }));
      const result = await runPlanTask(turn, memory, plan, task, before, signal);
      plan.results[task.id] = result;
      tally(turn, plan.results);
      turn.writer.think(`${task.title}: ${result.status.replaceAll('_', ' ')}.`);
      turn.writer.progress(() => metaOf(turn));
      // Saves the progress for readers of the plan. Failing to do so is not fatal: the final state is saved again, and
      // the result is already paid for.
      if (plan.tasks.length > 1)
        await keepPlan(turn, plan, 'running').catch((error) => turn.deps.warn('a plan was not stored', error));
      return result;
    },
  });
}

/** A result as shown to dependent tasks and to the synthesis. */
export function told(plan: RunningPlan, id: string, result: TaskResult): SharedResult {
  const { title = id, asked_for: asked } = plan.tasks.find((task) => task.id === id) ?? {};
  if (result.status === 'completed') return { title, text: result.text, asked };
  // A text that was cut off is used as far as it goes.
  if (result.status === 'failed' && result.error === 'cut_off')
    return { title, text: result.text, error: result.error, asked };
  return { title, text: null, error: result.status === 'failed' ? result.error : 'unfinished' };
}

export async function keepPlan(turn: Turn, plan: RunningPlan, status: PlanStatus): Promise<void> {
  const { planId: _id, ref, ...state } = plan;
  if (ref === null) return;
  const calls = openCalls(plan).map(({ id }) => id);
  await savePlan(turn.deps.db, { ref, userId: turn.caller.userId, status, state, openCalls: calls }, now(turn));
}
