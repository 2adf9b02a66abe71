import { beginningOf } from '../../lib/cut-text.ts';
import { AppError } from '../../lib/errors.ts';
import { graphFaults, type PlanTask } from '../plan.ts';
import type { GivenTask } from './requests.ts';
import { again, live, newTask, type RunState, type RunTask, redoDependents } from './state.ts';

/** The largest number of tasks that the preferences allow for a plan. */
export const mostGivenTasks = 50;

/**
 * Replaces the plan with the user's own. Finished tasks with an unchanged instruction keep their results; changed and
 * new tasks run, and so do the tasks that depend on them. Tasks not listed are dropped.
 */
export function applyUserPlan(state: RunState, given: GivenTask[]): void {
  const known = new Map(live(state).map((task) => [task.id, task]));
  const wanted = given.map((task) => completedBy(task, known.get(task.id)));
  const [fault] = graphFaults(wanted, mostGivenTasks);
  if (fault !== undefined) throw refused(fault);
  state.tasks = wanted.map((task) => merged(task, known.get(task.id)));
  redoDependents(state);
  state.revision += 1;
  state.iteration = Math.max(1, state.iteration);
  state.phase = 'run';
  state.result = null;
  state.replanned = true;
}

function completedBy(given: GivenTask, old: RunTask | undefined): PlanTask {
  const { id } = given;
  const instruction = given.instruction ?? old?.instruction;
  if (instruction === undefined) throw refused(`task "${id}" is new and has no instruction`);
  const asked_for = given.asked_for ?? old?.asked_for;
  return {
    id,
    title: given.title || old?.title || beginningOf(instruction, 80),
    instruction,
    difficulty: given.difficulty ?? old?.difficulty ?? 'medium',
    depends_on: [...new Set(given.depends_on ?? old?.depends_on ?? [])],
    ...(asked_for !== undefined && { asked_for }),
  };
}

function merged(task: PlanTask, old: RunTask | undefined): RunTask {
  if (!old) return newTask(task);
  const changed = task.instruction !== old.instruction;
  Object.assign(old, task);
  // A conversation started with a different instruction is not continued.
  if (changed) again(old, 'the user changed its instruction');
  return old;
}

const refused = (fault: string): AppError => new AppError('invalid_value', `plan: ${fault}.`, { param: 'plan' });
