import { lenientJson } from '../json.ts';
import { textOf } from '../messages.ts';
import { harder } from '../models.ts';
import { makePlan, type Plan, type PlanTask, parsePlan, planJsonSchema, singleTaskPlan } from '../plan.ts';
import { plannerMessages } from '../prompts/plan.ts';
import { triage } from '../triage.ts';
import { taskOverviews } from './events.ts';
import { Pause } from './halt.ts';
import { revisionMessages } from './revise-prompt.ts';
import { again, live, newTask, type RunState, type RunTask, usePlan } from './state.ts';
import { resultText } from './texts.ts';
import { askAny, jsonParams, stepKey, type Work } from './work.ts';

/** A result below this is worth doing again. */
const weak = 0.6;

/** The first plan: one task where rules say that one will do, else what the plan model makes of the goal. */
export async function planRun(work: Work): Promise<void> {
  const { goal, state, journal, choosing, preferences } = work;
  const sorted = triage(goal, choosing.patterns);
  const direct = singleTaskPlan(goal, sorted.difficulty);
  const single = sorted.single || preferences.max_tasks_per_plan === 1;
  const key = stepKey(work, 'plan:1');
  const plan = single ? direct : await planned(work, key, direct);
  usePlan(state, plan);
  journal.announce();
  await journal.record(key, plan);
}

async function planned(work: Work, step: string, fallback: Plan): Promise<Plan> {
  const maxTasks = work.preferences.max_tasks_per_plan;
  const params = jsonParams('plan', planJsonSchema(maxTasks));
  // makePlan falls back whatever is thrown; a run that cannot pay or be answered is to pause instead.
  let pause: unknown = null;
  let call = 0;
  const { plan } = await makePlan(
    async (last) => {
      call += 1;
      const input = { request: work.goal, context: work.context, maxTasks, tools: [], last };
      try {
        return textOf((await askAny(work, { step, call, messages: plannerMessages(input), params })).message);
      } catch (error) {
        pause = error;
        throw error;
      }
    },
    { maxTasks, fallback, signal: work.signal },
  );
  if (pause !== null) throw pause;
  return plan;
}

/** What is done next, after a judgement that something is missing. */
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

/** The plan model's view of what is left to do; null when it has none that can be used. */
async function rethought(work: Work, step: string): Promise<Plan | null> {
  const { state } = work;
  const maxTasks = work.preferences.max_tasks_per_plan;
  const tasks = live(state).map((task) => ({ ...task, text: resultText(work, task) }));
  const messages = revisionMessages({ goal: work.goal, missing: state.missing, tasks, maxTasks });
  try {
    const answer = await askAny(work, { step, messages, params: jsonParams('plan', planJsonSchema(maxTasks)) });
    return parseRevision(textOf(answer.message), state, maxTasks);
  } catch (error) {
    work.signal.throwIfAborted();
    if (error instanceof Pause && error.reason === 'insufficient_quota') throw error;
    if (error instanceof Pause) return null;
    throw error;
  }
}

/** New tasks may need results of finished ones, which the answer does not list again. */
export function parseRevision(text: string, state: RunState, maxTasks: number): Plan | null {
  const value = lenientJson(text) as { tasks?: unknown } | unknown[] | undefined;
  const list = Array.isArray(value) ? value : value?.tasks;
  if (!Array.isArray(list) || list.length === 0) return null;
  const named = new Set(list.map((task) => String((task as { id?: unknown } | null)?.id)));
  const finished = new Set(live(state).flatMap(({ id, step }) => (step !== null && !named.has(id) ? [id] : [])));
  const kept = new Map<string, string[]>();
  const inner = list.map((task) => {
    const needs = (task as Partial<PlanTask> | null)?.depends_on;
    if (!Array.isArray(needs)) return task;
    const ids = needs.map(String);
    kept.set(
      String((task as PlanTask).id),
      ids.filter((id) => finished.has(id)),
    );
    return { ...(task as object), depends_on: ids.filter((id) => !finished.has(id)) };
  });
  const description = Array.isArray(value) ? '' : (value as { description?: unknown }).description;
  const { plan } = parsePlan(JSON.stringify({ description, tasks: inner }), maxTasks);
  if (!plan) return null;
  for (const task of plan.tasks) task.depends_on = [...(kept.get(task.id) ?? []), ...task.depends_on];
  return plan;
}

/** Named tasks are done (again), new ones added, unfinished ones that are no longer named skipped. */
export function useRevision(state: RunState, plan: Plan): string {
  const known = new Map(state.tasks.map((task) => [task.id, task]));
  const named = new Set(plan.tasks.map(({ id }) => id));
  const dropped = live(state).filter((task) => !named.has(task.id) && task.status !== 'completed');
  const redone = plan.tasks.filter(({ id }) => known.has(id));
  const added = plan.tasks.filter(({ id }) => !known.has(id));
  // A task whose turn never came, or failed, but with an older result falls back on that.
  for (const task of dropped) task.status = task.step === null ? 'skipped' : 'completed';
  for (const { id, title, instruction, difficulty, depends_on } of redone)
    again(known.get(id)!, { title, instruction, difficulty, depends_on });
  state.tasks.push(...added.map(newTask));
  const parts = [
    added.length > 0 && `${added.length} added`,
    redone.length > 0 && `${redone.length} to be done again`,
    dropped.length > 0 && `${dropped.length} dropped`,
  ].filter((part) => part !== false);
  return `${plan.description ? `${plan.description} ` : ''}(${parts.join(', ')})`;
}

/** Without a new plan: what failed or is weak is done again; when nothing is, what the others lead to. */
export function redoWeak(state: RunState, adaptive: boolean): string {
  const tasks = live(state);
  const poor = tasks.filter(({ status, score }) => status !== 'completed' || (score ?? 0) < weak);
  const needed = new Set(tasks.flatMap(({ depends_on }) => depends_on));
  const ends = tasks.filter(({ id }) => !needed.has(id));
  const chosen: RunTask[] = poor.length > 0 ? poor : ends;
  for (const task of chosen) {
    if (poor.length === 0 && state.missing.length > 0) task.feedback = `Still missing: ${state.missing.join('; ')}`;
    again(task, adaptive ? { difficulty: harder(task.difficulty) } : {});
  }
  return poor.length > 0 ? 'weak or failed tasks are done again' : 'what is missing is asked for again';
}
