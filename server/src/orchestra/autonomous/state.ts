import { AppError } from '../../lib/errors.ts';
import type { Plan, PlanTask } from '../plan.ts';
import { newPlanId } from '../store/plans.ts';
import type { TaskState } from '../task/escalate.ts';
import type { RunConfig } from './config.ts';
import type { Talk } from './talk.ts';

export type TaskStatus = 'pending' | 'completed' | 'failed' | 'skipped';

export interface RunTask extends PlanTask, TaskState {
  status: TaskStatus;
  /** Attempts ended so far, over all iterations. */
  attempts: number;
  /** Journal key of the result in use. */
  step: string | null;
  score: number | null;
  feedback: string | null;
  error: string | null;
  /** The iteration that ran it last. */
  ranIn: number;
  /** Why it is to be done again; null when it is not. */
  redo?: string | null;
  /** How often it was done again because its result was weak. */
  redone?: number;
  /** Its conversation with tools, while it has one. */
  talk?: Talk | null;
}

/** What is to be done next. */
export type Phase = 'plan' | 'run' | 'revise' | 'finish';

/** Where a run stands: enough, with the journal, to go on in another process. Texts stay in the journal. */
export interface RunState {
  phase: Phase;
  /** `execution_started` was told for this turn. */
  announced: boolean;
  resumedFrom: string | null;
  planId: string;
  revision: number;
  description: string;
  tasks: RunTask[];
  iteration: number;
  /** Iterations and running time used before the budgets in force began. */
  iterationBase: number;
  elapsedBaseMs: number;
  confidence: number;
  missing: string[];
  /** Rounds made for what is missing although the judge was confident. */
  furtherRounds?: number;
  /** Confidence after each iteration since the start or the last resume. */
  history: number[];
  tokens: number;
  cost: number;
  /** Calls that are in these two while the step they serve is not in the journal: taken over, they are not counted again. */
  counted?: string[];
  /** Journal key of what was recalled at the start, or when it went on. */
  recall: string | null;
  /** Journal key of the short form of a result, by the key of the result. */
  shortened: Record<string, string>;
  /** Journal key of the result made of several tasks' results. */
  result: string | null;
  /** Knowledge was looked for in the result. */
  extracted: boolean;
  /** What the user said on resuming, first to last; binds like the goal. */
  instructions?: string[];
  /** The user has changed the plan, and the events do not say so yet. */
  replanned?: boolean;
}

export const newState = (): RunState => ({
  phase: 'plan',
  announced: false,
  resumedFrom: null,
  planId: newPlanId(),
  revision: 0,
  description: '',
  tasks: [],
  iteration: 0,
  iterationBase: 0,
  elapsedBaseMs: 0,
  confidence: 0,
  missing: [],
  history: [],
  tokens: 0,
  cost: 0,
  recall: null,
  shortened: {},
  result: null,
  extracted: false,
});

export const newTask = (task: PlanTask): RunTask => ({
  ...task,
  status: 'pending',
  attempts: 0,
  faults: [],
  step: null,
  score: null,
  feedback: null,
  error: null,
  ranIn: 0,
});

export function usePlan(state: RunState, plan: Plan): void {
  state.description = plan.description;
  state.tasks = plan.tasks.map(newTask);
  state.revision = 1;
  state.iteration = 1;
  state.phase = 'run';
}

/** A task is done anew, with all its attempts; its old result stays until there is a better one. */
export function again(task: RunTask, reason: string, change: Partial<PlanTask> = {}): void {
  const redo = task.attempts > 0 ? reason : null;
  Object.assign(task, change, { status: 'pending', faults: [], error: null, redo, talk: null });
}

/** Whoever ordered a task to be done again: what was made of its old result is made again too. */
export function redoDependents(state: RunState): void {
  const tasks = live(state);
  const due = new Set(tasks.filter(({ status }) => status === 'pending').map(({ id }) => id));
  // A set is walked with what is added on the way.
  for (const needed of due) {
    for (const task of tasks) {
      if (!task.depends_on.includes(needed)) continue;
      // What it has said to its tools was said of the old result.
      task.talk = null;
      if (due.has(task.id)) continue;
      again(task, `made of the result of ${needed}, which is done again`);
      due.add(task.id);
    }
  }
}

/** What all instructions of a run may come to: every prompt carries them. */
const longestInstructions = 50_000;

/** What the user says on resuming binds all that follows, also where the goal was reached already. */
export function instruct(state: RunState, instructions: string): void {
  const all = [...(state.instructions ?? []), instructions];
  if (all.join('').length > longestInstructions)
    throw new AppError('invalid_value', `instructions: all of a run may come to ${longestInstructions} characters.`, {
      param: 'instructions',
    });
  state.instructions = all;
  state.result = null;
  if (state.phase !== 'finish') return;
  state.phase = 'revise';
  state.missing = [instructions.slice(0, longestShortfall)];
}

/** A result below this is worth doing again. */
export const weak = 0.6;
export const isWeak = ({ status, score }: RunTask): boolean => status === 'completed' && score !== null && score < weak;

const longestShortfall = 500;

/** In what the run falls short of its goal, in words; empty when in nothing. */
export function shortfallsOf(state: RunState): string[] {
  const said = live(state).flatMap((task) => {
    if (task.status === 'failed') return [`"${task.title}" failed: ${task.error ?? 'no result'}`];
    if (task.error !== null) return [`"${task.title}" could not be done again: ${task.error}`];
    return isWeak(task) ? [`"${task.title}" scored ${task.score}${task.feedback ? `: ${task.feedback}` : ''}`] : [];
  });
  const missing = state.missing.map((what) => `Missing: ${what}`);
  return [...said, ...missing].map((text) => text.slice(0, longestShortfall));
}

export const live = ({ tasks }: RunState): RunTask[] => tasks.filter(({ status }) => status !== 'skipped');

export const tally = (state: RunState) => ({
  completed: state.tasks.filter(({ status }) => status === 'completed').length,
  failed: state.tasks.filter(({ status }) => status === 'failed').length,
  total: live(state).length,
});

/** Movement below this is the judge's noise. */
const stillness = 0.01;
const stallIterations = 3;

/** Confidence has not moved in three iterations. */
export function stalled({ history }: Pick<RunState, 'history'>): boolean {
  const last = history.slice(-stallIterations);
  return last.length === stallIterations && Math.max(...last) - Math.min(...last) < stillness;
}

export const iterationsUsedUp = (state: RunState, config: RunConfig): boolean =>
  state.iteration - state.iterationBase >= config.max_iterations;

export const timeLeftMs = (state: RunState, config: RunConfig, elapsedMs: number): number =>
  config.max_time_secs * 1000 - (elapsedMs - state.elapsedBaseMs);

/**
 * The state a resume goes on from. A budget that is used up already under the config in force begins anew, since a
 * resume that stops at once helps nobody; one that is not goes on counting. What failed gets another round.
 */
export function resumedState(
  from: RunState,
  checkpointId: string,
  config: RunConfig,
  { elapsedMs, cost, tokens }: { elapsedMs: number; cost: number; tokens: number },
): RunState {
  const state = structuredClone(from);
  // Whoever goes back gets nothing back of what was spent since.
  state.cost = Math.max(state.cost, cost);
  state.tokens = Math.max(state.tokens, tokens);
  if (iterationsUsedUp(state, config)) state.iterationBase = state.iteration;
  if (timeLeftMs(state, config, elapsedMs) <= 0) state.elapsedBaseMs = elapsedMs;
  // At the finish the goal is reached, whatever failed on the way.
  const failed = state.phase === 'finish' ? [] : state.tasks.filter(({ status }) => status === 'failed');
  for (const task of failed) again(task, 'failed before the resume');
  if (state.phase === 'revise' && live(state).some(({ status }) => status === 'pending')) state.phase = 'run';
  return { ...state, announced: false, resumedFrom: checkpointId, history: [] };
}
