import { beginningOf } from '../../lib/cut-text.ts';
import { AppError } from '../../lib/errors.ts';
import type { Plan, PlanTask } from '../plan.ts';
import { newPlanId } from '../store/plans.ts';
import type { TaskState } from '../task/escalate.ts';
import type { RunConfig } from './config.ts';
import type { TaskConversation } from './task-conversation.ts';

export type TaskStatus = 'pending' | 'completed' | 'failed' | 'skipped';

export interface RunTask extends PlanTask, TaskState {
  status: TaskStatus;
  /** Finished attempts, over all iterations. */
  attempts: number;
  /** Journal key of the current result. */
  step: string | null;
  score: number | null;
  feedback: string | null;
  error: string | null;
  /** The iteration in which it last ran. */
  ranIn: number;
  /** Why the task is to be redone; null if it is not. */
  redo?: string | null;
  /** How often it was redone because of a weak result. */
  redone?: number;
  /** Its conversation with tools, if there is one. */
  talk?: TaskConversation | null;
}

/** What the run does next. */
export type Phase = 'plan' | 'run' | 'revise' | 'finish';

/** The state of a run: with the journal, it is enough for another process to continue. Texts are in the journal. */
export interface RunState {
  phase: Phase;
  /** Whether `execution_started` was sent for this turn. */
  announced: boolean;
  resumedFrom: string | null;
  planId: string;
  revision: number;
  description: string;
  tasks: RunTask[];
  iteration: number;
  /** Iterations and running time used before the current budgets started. */
  iterationBase: number;
  elapsedBaseMs: number;
  confidence: number;
  missing: string[];
  /** Extra rounds for missing parts, made although the judge was confident. */
  furtherRounds?: number;
  /** Confidence after each iteration since the start or the last resume. */
  history: number[];
  tokens: number;
  cost: number;
  /**
   * Calls already included in `tokens` and `cost` whose step is not in the journal yet: after a takeover they are not
   * counted again.
   */
  counted?: string[];
  /** Journal key of the memory recalled at the start or the last resume. */
  recall: string | null;
  /** Journal key of a result's short form, by the key of the result. */
  shortened: Record<string, string>;
  /** Journal key of the final result combined from several tasks. */
  result: string | null;
  /** Whether knowledge was already extracted from the result. */
  extracted: boolean;
  /** The user's instructions given on resumes, oldest first; as binding as the goal. */
  instructions?: string[];
  /** The user changed the plan, and no event has reported it yet. */
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

/** Redoes a task with a full set of attempts; its old result stays until there is a better one. */
export function again(task: RunTask, reason: string, change: Partial<PlanTask> = {}): void {
  const redo = task.attempts > 0 ? reason : null;
  Object.assign(task, change, { status: 'pending', faults: [], error: null, redo, talk: null });
}

/** Redoes every task that depends, directly or indirectly, on a pending one: its result was based on the old result. */
export function redoDependents(state: RunState): void {
  const tasks = live(state);
  const due = new Set(tasks.filter(({ status }) => status === 'pending').map(({ id }) => id));
  // Iterating a Set includes the elements added during the loop.
  for (const needed of due) {
    for (const task of tasks) {
      if (!task.depends_on.includes(needed)) continue;
      // Its conversation with tools was based on the old result.
      task.talk = null;
      if (due.has(task.id)) continue;
      again(task, `depends on the result of ${needed}, which is being redone`);
      due.add(task.id);
    }
  }
}

/** Maximum total length of a run's instructions, because every prompt contains them. */
const longestInstructions = 50_000;

/** Adds an instruction that applies to everything that follows; a run that had reached its goal is revised again. */
export function instruct(state: RunState, instructions: string): void {
  const all = [...(state.instructions ?? []), instructions];
  if (all.join('').length > longestInstructions)
    throw new AppError(
      'invalid_value',
      `instructions: all instructions of a run can have at most ${longestInstructions} characters together.`,
      {
        param: 'instructions',
      },
    );
  state.instructions = all;
  state.result = null;
  if (state.phase !== 'finish') return;
  state.phase = 'revise';
  state.missing = [beginningOf(instructions, longestShortfall)];
}

/** Results with a lower score are worth redoing. */
export const weak = 0.6;
export const isWeak = ({ status, score }: RunTask): boolean => status === 'completed' && score !== null && score < weak;

const longestShortfall = 500;

/** Describes where the run falls short of its goal; empty if it does not. */
export function shortfallsOf(state: RunState): string[] {
  const said = live(state).flatMap((task) => {
    if (task.status === 'failed') return [`"${task.title}" failed: ${task.error ?? 'no result'}`];
    if (task.error !== null) return [`"${task.title}" could not be redone: ${task.error}`];
    return isWeak(task) ? [`"${task.title}" scored ${task.score}${task.feedback ? `: ${task.feedback}` : ''}`] : [];
  });
  const missing = state.missing.map((what) => `Missing: ${what}`);
  return [...said, ...missing].map((text) => beginningOf(text, longestShortfall));
}

export const live = ({ tasks }: RunState): RunTask[] => tasks.filter(({ status }) => status !== 'skipped');

export const tally = (state: RunState) => ({
  completed: state.tasks.filter(({ status }) => status === 'completed').length,
  failed: state.tasks.filter(({ status }) => status === 'failed').length,
  total: live(state).length,
});

/** Smaller changes in confidence are noise of the judge. */
const stillness = 0.01;
const stallIterations = 3;

/** Whether confidence has not changed in three iterations. */
export function stalled({ history }: Pick<RunState, 'history'>): boolean {
  const last = history.slice(-stallIterations);
  return last.length === stallIterations && Math.max(...last) - Math.min(...last) < stillness;
}

export const iterationsUsedUp = (state: RunState, config: RunConfig): boolean =>
  state.iteration - state.iterationBase >= config.max_iterations;

export const timeLeftMs = (state: RunState, config: RunConfig, elapsedMs: number): number =>
  config.max_time_secs * 1000 - (elapsedMs - state.elapsedBaseMs);

/**
 * The state that a resume starts from. A budget that is already used up under the current config starts again, because
 * the resume would otherwise stop immediately; other budgets keep counting. Failed tasks get another round.
 */
export function resumedState(
  from: RunState,
  checkpointId: string,
  config: RunConfig,
  { elapsedMs, cost, tokens }: { elapsedMs: number; cost: number; tokens: number },
): RunState {
  const state = structuredClone(from);
  // Resuming from an earlier checkpoint does not refund what was spent since.
  state.cost = Math.max(state.cost, cost);
  state.tokens = Math.max(state.tokens, tokens);
  if (iterationsUsedUp(state, config)) state.iterationBase = state.iteration;
  if (timeLeftMs(state, config, elapsedMs) <= 0) state.elapsedBaseMs = elapsedMs;
  // In the finish phase the goal is reached, even if some tasks failed.
  const failed = state.phase === 'finish' ? [] : state.tasks.filter(({ status }) => status === 'failed');
  for (const task of failed) again(task, 'failed before the resume');
  if (state.phase === 'revise' && live(state).some(({ status }) => status === 'pending')) state.phase = 'run';
  return { ...state, announced: false, resumedFrom: checkpointId, history: [] };
}
