import { harder } from '../models.ts';
import { asDirect, graphFaults, makePlan, type Plan, parsePlan, planShape, singleTaskPlan } from '../plan.ts';
import { plannerMessages } from '../prompts/plan.ts';
import { markRequestedTasks } from '../requested-tasks.ts';
import { endsOf } from '../task/schedule.ts';
import { triage } from '../triage.ts';
import { taskOverviews } from './events.ts';
import { isRefused, Pause } from './halt.ts';
import { instructionParts } from './instructions.ts';
import { revisionMessages } from './revise-prompt.ts';
import { again, live, newTask, type RunState, usePlan, weak } from './state.ts';
import { resultText } from './texts.ts';
import { openToolbox } from './toolbox.ts';
import { askAny, stepKey, type Work } from './work.ts';

/** Makes the first plan: a single task if the triage rules say so, otherwise the plan model's plan. */
export async function planRun(work: Work): Promise<void> {
  const { goal, state, journal, choosing, preferences } = work;
  const sorted = triage(goal, choosing.patterns);
  const direct = singleTaskPlan(goal, sorted.difficulty);
  const single = sorted.single || preferences.max_tasks_per_plan === 1;
  const key = stepKey(work, 'plan:1');
  const made = single ? direct : await planned(work, key, direct);
  const plan = sorted.unsure ? asDirect(made, direct) : made;
  usePlan(state, plan);
  journal.announce();
  await journal.record(key, plan);
}

async function planned(work: Work, step: string, fallback: Plan): Promise<Plan> {
  const { goal, context, signal, choosing } = work;
  const maxTasks = work.preferences.max_tasks_per_plan;
  const shape = planShape(maxTasks);
  const { names: tools } = await openToolbox(work);
  const request = [goal, ...instructionParts(work.state)].join('\n\n');
  let call = 0;
  const { plan } = await makePlan(
    (last) => {
      call += 1;
      const messages = plannerMessages({ request, context, maxTasks, tools, last });
      return askAny(work, { step, call, messages, shape });
    },
    // If the model cannot be paid for or does not answer, the run pauses instead of using the fallback.
    { request: goal, maxTasks, fallback, signal, patterns: choosing.patterns, mayWait: (error) => !isRefused(error) },
  );
  return plan;
}

/** Decides what to do next after the judge found something missing. */
export async function revisePlan(work: Work): Promise<void> {
  const { state, journal, config } = work;
  const revision = state.revision + 1;
  const key = stepKey(work, `plan:${revision}`);
  const wanted = config.enable_smart_tasks ? await rethought(work, key) : null;
  const reason = wanted ? useRevision(state, wanted) : redoWeak(state, config.enable_adaptive_retry);
  state.revision = revision;
  state.iteration += 1;
  state.phase = 'run';
  const plan_id = state.planId;
  journal.tell('plan_updated', { plan_id, revision, reason, tasks: taskOverviews(live(state)) });
  await journal.record(key, { reason, tasks: wanted?.tasks ?? [] });
}

/** The plan model's revised plan; null if there is no usable one. */
async function rethought(work: Work, step: string): Promise<Plan | null> {
  const { state } = work;
  const maxTasks = work.preferences.max_tasks_per_plan;
  const { names: tools } = await openToolbox(work);
  const tasks = live(state).map((task) => ({ ...task, text: resultText(work, task) }));
  const messages = revisionMessages({
    ...{ goal: work.goal, missing: state.missing, tasks, maxTasks, tools },
    said: instructionParts(state),
  });
  try {
    const shape = planShape(maxTasks);
    const plan = parseRevision(await askAny(work, { step, messages, shape }), state, maxTasks);
    return plan && { ...plan, tasks: markRequestedTasks(work.goal, plan.tasks) };
  } catch (error) {
    work.signal.throwIfAborted();
    if (isRefused(error) || (error instanceof Pause && error.reason === 'provider_unavailable')) return null;
    throw error;
  }
}

/**
 * New tasks may depend on finished ones, which the model's answer does not list again. Finished tasks are redone when a
 * dependency is, so the combined graph of old and new tasks must be valid.
 */
export function parseRevision(text: string, state: RunState, maxTasks: number): Plan | null {
  const finished = live(state).flatMap(({ id, step }) => (step === null ? [] : [id]));
  const { plan } = parsePlan(text, maxTasks, finished);
  if (!plan) return null;
  const named = new Set(plan.tasks.map(({ id }) => id));
  const whole = [...live(state).filter(({ id }) => !named.has(id)), ...plan.tasks];
  const known = state.tasks.map(({ id }) => id);
  return graphFaults(whole, Number.POSITIVE_INFINITY, known).length === 0 ? plan : null;
}

/** Runs the listed tasks (again), adds new ones, and skips unfinished ones that are no longer listed. */
export function useRevision(state: RunState, plan: Plan): string {
  const known = new Map(state.tasks.map((task) => [task.id, task]));
  const named = new Set(plan.tasks.map(({ id }) => id));
  const dropped = live(state).filter((task) => !named.has(task.id) && task.status !== 'completed');
  const redone = plan.tasks.filter(({ id }) => known.has(id));
  const added = plan.tasks.filter(({ id }) => !known.has(id));
  // An unfinished or failed task that has an older result falls back to it.
  for (const task of dropped) task.status = task.step === null ? 'skipped' : 'completed';
  for (const { id, title, instruction, difficulty, depends_on, asked_for } of redone)
    again(known.get(id)!, 'the plan was revised', { title, instruction, difficulty, depends_on, asked_for });
  state.tasks.push(...added.map(newTask));
  const parts = [
    added.length > 0 && `${added.length} added`,
    redone.length > 0 && `${redone.length} to redo`,
    dropped.length > 0 && `${dropped.length} dropped`,
  ].filter((part) => part !== false);
  return `${plan.description ? `${plan.description} ` : ''}(${parts.join(', ')})`;
}

/** Fallback without a new plan: failed and weak tasks are redone, and the end tasks are asked for what is missing. */
export function redoWeak(state: RunState, adaptive: boolean): string {
  const tasks = live(state);
  const poor = tasks.filter(({ status, score }) => status !== 'completed' || (score ?? 0) < weak);
  const ends = poor.length === 0 || state.missing.length > 0 ? endsOf(tasks) : [];
  if (state.missing.length > 0) for (const task of ends) task.feedback = `Still missing: ${state.missing.join('; ')}`;
  for (const task of new Set([...poor, ...ends])) {
    const reason = poor.includes(task) ? 'weak or failed' : 'something is missing';
    again(task, reason, adaptive ? { difficulty: harder(task.difficulty) } : {});
  }
  return poor.length > 0 ? 'weak or failed tasks are redone' : 'missing parts are requested again';
}

/** Sends the event once, even if another process continues the run. */
export function tellReplanned({ state, journal }: Work): void {
  if (!state.replanned) return;
  state.replanned = false;
  const { planId: plan_id, revision } = state;
  journal.tell('plan_updated', { plan_id, revision, reason: 'changed by the user', tasks: taskOverviews(live(state)) });
}
