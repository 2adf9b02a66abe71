import type { PlanTask } from '../plan.ts';
import { openCalls, type PlanStatus, savePlan, type TaskResult } from '../store/plans.ts';
import type { Told } from '../task/results.ts';
import { distancesTo, runGraph, widthOf } from '../task/schedule.ts';
import { type RunningPlan, tally } from './plan-turn.ts';
import type { Remembering } from './remember.ts';
import { runPlanTask } from './run-task.ts';
import { metaOf, now, type Turn } from './turn.ts';

/** Step 5: runs what is ready until all is done, or a task waits for the client's tools. Results go into the plan. */
export async function runPlan(turn: Turn, memory: Remembering, plan: RunningPlan): Promise<void> {
  const done = Object.entries(plan.results).filter(([, { status }]) => status !== 'waiting_for_tools');
  await runGraph<PlanTask, TaskResult>({
    tasks: plan.tasks,
    // A client that wants calls one at a time gets them so, whatever runs beside.
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
      // For whoever looks meanwhile: the end is written again, and what was paid for goes on to it.
      if (plan.tasks.length > 1)
        await keepPlan(turn, plan, 'running').catch((error) => turn.deps.warn('a plan was not kept', error));
      return result;
    },
  });
}

/** A result in words for the tasks that need it and for the synthesis. */
export function told(plan: RunningPlan, id: string, result: TaskResult): Told {
  const { title = id, asked_for: asked } = plan.tasks.find((task) => task.id === id) ?? {};
  if (result.status === 'completed') return { title, text: result.text, asked };
  // Of what no model finished, what there is.
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
