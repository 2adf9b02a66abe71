import { findFault } from '../checks.ts';
import { type ChatMessage, textOf } from '../messages.ts';
import { chooseTaskModel, harder, maxAttempts, pickTiers } from '../models.ts';
import type { CompleteAnswer } from '../ports.ts';
import { newFence } from '../prompts/fence.ts';
import { taskMessages } from '../prompts/plan.ts';
import { runGraph } from '../schedule.ts';
import { kindOf } from '../triage.ts';
import { faultOf, Pause } from './halt.ts';
import { live, type RunTask } from './state.ts';
import { evaluateTask } from './steps-judge.ts';
import { resultText } from './texts.ts';
import { ask, stepKey, type Work } from './work.ts';

/** Tasks at once when the user lets tasks run in parallel (contract §12.5). */
const widest = 4;
const previewLength = 200;
const longestAdvice = 1000;
/** Between two signs of life of a long task. */
const progressMs = 2000;
/** A text of this many characters is about half of what a task says; for the progress shown, nothing else. */
const usualLength = 2000;

/** Runs what is to be run, each task as soon as what it needs is there, and evaluates each result. */
export async function runTasks(work: Work): Promise<void> {
  const { state, preferences } = work;
  const settled = (task: RunTask) => task.status !== 'pending' && !(task.status === 'completed' && task.score === null);
  let pause: Pause | null = null;
  await runGraph<RunTask, RunTask>({
    tasks: state.tasks,
    width: preferences.enable_parallel_tasks ? widest : 1,
    done: new Map(state.tasks.filter(settled).map((task) => [task.id, task])),
    signal: work.signal,
    run: async (task, _results, signal) => {
      try {
        if (task.status === 'pending') await runTask(work, task, signal);
        if (task.status === 'completed' && task.score === null) await evaluateTask(work, task, signal);
      } catch (error) {
        // Tasks under way are let finish: broken off, they would have to be paid again.
        if (!(error instanceof Pause)) throw error;
        pause ??= error;
      }
      return task;
    },
    pausesAfter: () => pause !== null,
  });
  if (pause !== null) throw pause;
  const ran = state.tasks.filter((task) => task.ranIn === state.iteration);
  if (ran.length > 0 && ran.every(({ status, unanswered }) => status === 'failed' && unanswered))
    throw new Pause('provider_unavailable');
}

async function runTask(work: Work, task: RunTask, signal: AbortSignal): Promise<void> {
  while (task.status === 'pending') {
    const model = modelFor(work, task);
    if (model === null) throw new Pause('provider_unavailable');
    await attempt(work, task, model, signal);
  }
}

/** One attempt from start to the journal. */
async function attempt(work: Work, task: RunTask, model: string, signal: AbortSignal): Promise<void> {
  const { journal, deps } = work;
  const number = task.attempts + 1;
  const started = deps.clock.nowMs();
  journal.currentTask = task.title;
  const { id: task_id, title, difficulty } = task;
  journal.tell('task_started', { task_id, title, model, difficulty, attempt: number });
  journal.tell('task_progress', { task_id, progress: 0, message: `asking ${model}` });
  const step = stepKey(work, `task:${task.id}:${number}`);
  const outcome = await tried(work, task, model, step, signal);
  task.attempts = number;
  task.ranIn = work.state.iteration;
  work.outcomes.push({ kind: kindOf(task.instruction), difficulty, model, ok: 'answer' in outcome });
  if ('error' in outcome) return failed(work, task, model, step, outcome);
  const text = textOf(outcome.answer.message);
  const { promptTokens, completionTokens } = outcome.answer.usage;
  const tokens = promptTokens + completionTokens;
  Object.assign(task, { status: 'completed', step, score: null, feedback: null, error: null, unanswered: false });
  work.texts.set(step, text);
  journal.tell('task_completed', {
    task_id,
    status: 'completed',
    tokens_used: tokens,
    execution_time_ms: deps.clock.nowMs() - started,
    attempt: number,
    result_preview: text.slice(0, previewLength),
  });
  await journal.record(step, { text, model }, tokens);
}

type Tried = { answer: CompleteAnswer } | { error: string; unanswered: boolean };

async function tried(work: Work, task: RunTask, model: string, step: string, signal: AbortSignal): Promise<Tried> {
  const { journal, deps, preferences } = work;
  let length = 0;
  let told = deps.clock.nowMs();
  const onDelta = (text: string) => {
    length += text.length;
    journal.piece(task.id, text);
    if (deps.clock.nowMs() - told < progressMs) return;
    told = deps.clock.nowMs();
    const progress = Math.round((90 * length) / (length + usualLength)) / 100;
    journal.tell('task_progress', { task_id: task.id, progress, message: `${length} characters so far` });
  };
  const most = preferences.max_output_tokens;
  try {
    const params = most > 0 ? { max_tokens: most } : {};
    const answer = await ask(work, { step, model, messages: messagesFor(work, task), params, onDelta, signal });
    const text = textOf(answer.message);
    const { finishReason } = answer;
    const fault = findFault({ text, finishReason, hasToolCalls: false, wantsJson: false, limited: most > 0 });
    return fault ? { error: faultWords[fault], unanswered: false } : { answer };
  } catch (error) {
    signal.throwIfAborted();
    const fault = faultOf(error);
    if (fault === 'quota') throw new Pause('insufficient_quota');
    if (fault === 'database' || fault === 'internal') throw error;
    return { error: (error as Error).message, unanswered: fault === 'unanswered' };
  }
}

const faultWords = {
  empty: 'the answer was empty',
  refused: 'the model refused',
  cut_off: 'the answer was cut off',
  wrong_format: 'the answer has the wrong format',
} as const;

/** A retry changes model, difficulty and instruction when it may; else the same is tried again. */
async function failed(
  work: Work,
  task: RunTask,
  model: string,
  step: string,
  { error, unanswered }: Extract<Tried, { error: string }>,
): Promise<void> {
  const { journal, config } = work;
  const retry = task.attempts - task.roundStart < maxAttempts;
  Object.assign(task, { error, unanswered });
  task.tried.push(model);
  if (retry && config.enable_adaptive_retry) {
    if (!unanswered) {
      task.difficulty = harder(task.difficulty);
      task.feedback = `An earlier attempt failed: ${error}.`;
    }
  } else if (!retry) {
    // An older result is better than none.
    task.status = task.step === null ? 'failed' : 'completed';
  }
  const next = retry ? modelFor(work, task) : null;
  const attempt = task.attempts;
  journal.tell('task_failed', {
    task_id: task.id,
    error,
    attempt,
    will_retry: retry,
    ...(next !== null && { next_model: next }),
  });
  await journal.record(step, { error, model });
}

/** The model of the difficulty; after a failure, with adaptive retry, one that has not failed yet. */
function modelFor({ choosing, config }: Work, task: RunTask): string | null {
  const { difficulty } = task;
  const usual = chooseTaskModel(choosing, difficulty, kindOf(task.instruction))?.model ?? null;
  if (usual === null || !config.enable_adaptive_retry || !task.tried.includes(usual)) return usual;
  const tiers = pickTiers(choosing.models);
  const others = tiers ? [tiers[harder(difficulty)], tiers.hard, tiers.medium, tiers.easy] : [];
  return others.find((model) => !task.tried.includes(model)) ?? usual;
}

function messagesFor(work: Work, task: RunTask): ChatMessage[] {
  const { state, goal, context } = work;
  const request: ChatMessage = { role: 'user', content: goal };
  const advice = task.feedback ? `\n\nMind this: ${task.feedback.slice(0, longestAdvice)}` : '';
  const alone = live(state).length === 1 && task.instruction === goal;
  if (alone) return [...context, { role: 'user', content: goal + advice }];
  const byId = new Map(state.tasks.map((other) => [other.id, other]));
  const results = task.depends_on.flatMap((id) => {
    const other = byId.get(id);
    if (!other || other.status === 'skipped') return [];
    const text = resultText(work, other);
    return [{ title: other.title, text, ...(text === null && { error: other.error ?? 'no result' }) }];
  });
  const told = { ...task, instruction: task.instruction + advice };
  return taskMessages({ context, request, task: told, results, final: task === answering(work), fence: newFence() });
}

/** The one task that all others lead to: its text is the result. Null when several end the plan. */
export function answering({ state }: Pick<Work, 'state'>): RunTask | null {
  const tasks = live(state);
  const needed = new Set(tasks.flatMap(({ depends_on }) => depends_on));
  const ends = tasks.filter(({ id }) => !needed.has(id));
  return ends.length === 1 ? ends[0]! : null;
}
