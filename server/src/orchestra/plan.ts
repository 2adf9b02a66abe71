import { z } from 'zod';
import { beginningOf } from '../lib/cut-text.ts';
import { AppError } from '../lib/errors.ts';
import { listOf, objectOf, type Shape, text } from './ask-shaped.ts';
import { lenientJson } from './json.ts';
import { type Difficulty, difficulties } from './params.ts';
import type { Pattern } from './patterns.ts';
import { markRequestedTasks } from './requested-tasks.ts';
import type { Node } from './task/schedule.ts';
import { crossChecked } from './triage.ts';

export interface PlanTask {
  id: string;
  title: string;
  instruction: string;
  difficulty: Difficulty;
  depends_on: string[];
  /** The user asked for this task's own result. */
  asked_for?: boolean;
}

export interface Plan {
  description: string;
  tasks: PlanTask[];
}

export const planShape = (maxTasks: number): Shape => {
  const difficulty = { ...text, enum: difficulties };
  const asked_for = { type: 'boolean' };
  const task = objectOf({ id: text, title: text, instruction: text, difficulty, depends_on: listOf(text), asked_for });
  const tasks = listOf(task, { minItems: 1, maxItems: maxTasks });
  return { name: 'plan', schema: objectOf({ description: text, tasks }) };
};

/**
 * Results are stored under these ids; an inherited property name such as `constructor` would lose them or find a bogus
 * one.
 */
const id = z
  .union([z.string(), z.number()])
  .transform(String)
  .pipe(z.string().trim().min(1).max(64))
  .refine((name) => !(name in Object.prototype), 'cannot be used as an id');
const taskSchema = z.object({
  id,
  title: z.string().trim().max(300).optional(),
  instruction: z.string().trim().min(1).max(20_000),
  difficulty: z.preprocess(
    (value) => (typeof value === 'string' ? value.trim().toLowerCase() : value),
    z.enum(difficulties).catch('medium'),
  ),
  depends_on: z.array(id).nullish(),
  asked_for: z.boolean().optional().catch(undefined),
});
const planSchema = z.object({ description: z.string().max(4000).catch(''), tasks: z.array(taskSchema).min(1) });

/** Longer than any plan with the most tasks allowed; stops a model that writes without end. */
const longestAnswer = 500_000;
/** Faults reported back to the planner; hundreds would hide what it has to fix. */
const mostFaults = 8;

export type ParsedPlan = { plan: Plan; faults: [] } | { plan: null; faults: string[] };

/**
 * Parses whatever the planner wrote. On failure, returns faults worded so that the planner can fix them. Tasks may
 * depend on the ids in `done`.
 */
export function parsePlan(answer: string, maxTasks: number, done: string[] = []): ParsedPlan {
  if (answer.length > longestAnswer) return { plan: null, faults: ['the answer is too long for a plan'] };
  const value = lenientJson(answer);
  if (value === undefined) return { plan: null, faults: ['the answer is not a JSON object'] };
  // Some planners answer with the bare array of tasks.
  const parsed = planSchema.safeParse(Array.isArray(value) ? { tasks: value } : value);
  if (!parsed.success) {
    return {
      plan: null,
      faults: parsed.error.issues.slice(0, mostFaults).map((i) => `${i.path.join('.') || 'plan'}: ${i.message}`),
    };
  }
  const plan: Plan = {
    description: parsed.data.description,
    tasks: parsed.data.tasks.map((task) => ({
      ...task,
      title: task.title || beginningOf(task.instruction, 80),
      depends_on: [...new Set(task.depends_on ?? [])],
    })),
  };
  const faults = graphFaults(plan.tasks, maxTasks, done);
  return faults.length === 0 ? { plan, faults: [] } : { plan: null, faults: faults.slice(0, mostFaults) };
}

/** Reasons why the tasks are not a runnable graph. */
export function graphFaults(tasks: Node[], maxTasks: number, done: string[] = []): string[] {
  if (tasks.length > maxTasks) return [`${tasks.length} tasks, at most ${maxTasks} are allowed`];
  const faults: string[] = [];
  const ids = new Set<string>();
  for (const task of tasks) {
    if (ids.has(task.id)) faults.push(`two tasks have the id "${task.id}"`);
    ids.add(task.id);
  }
  for (const task of tasks) {
    for (const needed of task.depends_on) {
      if (!ids.has(needed) && !done.includes(needed))
        faults.push(`task "${task.id}" depends on "${needed}", which does not exist`);
    }
  }
  const cycle = faults.length === 0 ? cyclic(tasks, ids) : [];
  if (cycle.length > 0) faults.push(`these tasks depend on each other in a cycle: ${cycle.join(', ')}`);
  return faults;
}

/** Ids that can never become ready (Kahn's algorithm). */
function cyclic(tasks: Node[], ids: Set<string>): string[] {
  const waiting = new Set(ids);
  for (;;) {
    const left = tasks.filter(({ id }) => waiting.has(id));
    const ready = left.filter(({ depends_on }) => !depends_on.some((needed) => waiting.has(needed)));
    if (ready.length === 0) return left.map(({ id }) => id);
    for (const { id } of ready) waiting.delete(id);
  }
}

/** The fallback plan: one task. */
export const singleTaskPlan = (request: string, difficulty: Difficulty): Plan => ({
  description: 'Answer the request directly',
  tasks: [{ id: 't1', title: 'Answer', instruction: request, difficulty, depends_on: [] }],
});

/** If the planner finds nothing to split, use the request itself, with the planner's difficulty. */
export function asDirect(plan: Plan, direct: Plan): Plan {
  if (plan.tasks.length !== 1) return plan;
  direct.tasks[0]!.difficulty = plan.tasks[0]!.difficulty;
  return direct;
}

export interface Planning {
  request: string;
  maxTasks: number;
  fallback: Plan;
  signal: AbortSignal;
  /** Learned outcomes of such tasks. */
  patterns?: Pattern[];
  /** Planner errors that are thrown instead of falling back, because the caller can wait and retry. */
  mayWait?(error: unknown): boolean;
}

/**
 * Asks for a plan, reports its faults back once, then falls back to a single task. `ask` gets the faults of its last
 * answer. Always returns a plan, even if `ask` throws, unless the caller can wait. An abort is rethrown.
 */
export async function makePlan(
  ask: (last: { answer: string; faults: string[] } | null) => Promise<string>,
  { request, maxTasks, fallback, signal, patterns = [], mayWait = () => false }: Planning,
): Promise<{ plan: Plan; faults: string[] }> {
  let last: { answer: string; faults: string[] } | null = null;
  for (let attempt = 0; attempt < 2; attempt++) {
    signal.throwIfAborted();
    try {
      const answer = await ask(last);
      const parsed = parsePlan(answer, maxTasks);
      if (parsed.plan) {
        const tasks = markRequestedTasks(request, parsed.plan.tasks);
        for (const task of tasks) task.difficulty = crossChecked(task.difficulty, task.instruction, patterns);
        return { plan: { ...parsed.plan, tasks }, faults: last?.faults ?? [] };
      }
      last = { answer, faults: parsed.faults };
    } catch (error) {
      signal.throwIfAborted();
      if (mayWait(error)) throw error;
      // Do not reveal the details of internal errors.
      const why = error instanceof AppError ? error.message : 'internal error';
      return { plan: fallback, faults: [`the planner failed: ${why}`] };
    }
  }
  return { plan: fallback, faults: last?.faults ?? [] };
}
