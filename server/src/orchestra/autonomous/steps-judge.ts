import { z } from 'zod';
import { beginningOf } from '../../lib/cut-text.ts';
import { lenientJson } from '../json.ts';
import { newFence } from '../prompts/fence.ts';
import { evaluationMessages, evaluationShape, judgeMessages, judgeShape } from '../prompts/judge.ts';
import { isRefused } from './halt.ts';
import { instructionParts } from './instructions.ts';
import { share } from './share.ts';
import { iterationsUsedUp, live, type Phase, type RunTask, tally, weak } from './state.ts';
import { resultText } from './texts.ts';
import { askAny, type OpenQuestion, stepKey, type Work } from './work.ts';

const evaluation = z.object({ score: share, feedback: z.string().max(4000).catch('') });
const judgement = z.object({
  confidence: share,
  missing: z.union([z.array(z.string()), z.string().transform((text) => (text === '' ? [] : [text]))]).catch([]),
});

/** Asks up to twice for an answer that matches the schema; null if neither does, or no model takes the question. */
async function askFor<T>(work: Work, schema: z.ZodType<T>, question: OpenQuestion): Promise<T | null> {
  try {
    for (let call = 1; call <= 2; call++) {
      const parsed = schema.safeParse(lenientJson(await askAny(work, { ...question, call })));
      if (parsed.success) return parsed.data;
    }
  } catch (error) {
    if (!isRefused(error)) throw error;
  }
  return null;
}

export async function evaluateTask(work: Work, task: RunTask, signal: AbortSignal): Promise<void> {
  const { journal } = work;
  const key = stepKey(work, `eval:${task.id}:${task.attempts}`);
  const found = await askFor(work, evaluation, {
    step: key,
    messages: evaluationMessages({
      request: work.goal,
      instruction: task.instruction,
      result: resultText(work, task) ?? '',
      said: instructionParts(work.state),
    }),
    shape: evaluationShape,
    signal,
  });
  // Without a usable evaluation, all that is known is that the result passed the cheap checks.
  const { score, feedback } = found ?? { score: weak, feedback: 'The result could not be evaluated.' };
  Object.assign(task, { score, feedback });
  journal.tell('task_evaluated', { task_id: task.id, score, feedback });
  await journal.record(key, { score, feedback });
}

/** Judges how far the goal is reached and what is missing. */
export async function judgeGoal(work: Work): Promise<void> {
  const { state, journal, goal } = work;
  const key = stepKey(work, `judge:${state.iteration}`);
  const results = live(state).flatMap((task) => {
    const text = resultText(work, task);
    return text === null ? [] : [{ title: task.title, text }];
  });
  const found =
    results.length === 0
      ? { confidence: 0, missing: [beginningOf(goal, 500)] }
      : await askFor(work, judgement, {
          step: key,
          messages: judgeMessages(goal, results, newFence(), instructionParts(state)),
          shape: judgeShape,
        });
  const { confidence, missing } = found ?? guess(work);
  state.confidence = confidence;
  state.missing = missing.slice(0, 20);
  state.history.push(confidence);
  state.phase = confidence >= work.config.confidence_threshold && results.length > 0 ? confidentPhase(work) : 'revise';
  tellProgress(work);
  const { enable_checkpointing, checkpoint_interval } = work.config;
  if (enable_checkpointing && state.iteration % checkpoint_interval === 0) journal.checkpoint();
  await journal.record(key, { confidence, missing });
}

/** Bounds the extra rounds, because a judge may keep finding trifles. */
const mostFurtherRounds = 2;

/** If a confident judge still names missing parts, they get a few more rounds; what remains is reported at the end. */
function confidentPhase({ state, config }: Work): Phase {
  const { furtherRounds = 0 } = state;
  const enough = state.missing.length === 0 || furtherRounds >= mostFurtherRounds || iterationsUsedUp(state, config);
  if (enough) return 'finish';
  state.furtherRounds = furtherRounds + 1;
  return 'revise';
}

/** Fallback if the judge gives no usable answer: the weakest result determines the confidence. */
function guess({ state }: Work): { confidence: number; missing: string[] } {
  const tasks = live(state);
  const scores = tasks.map(({ status, score }) => (status === 'completed' ? (score ?? 0.5) : 0));
  const poor = tasks.filter(({ status }) => status !== 'completed').map(({ title }) => title);
  return { confidence: Math.min(...scores), missing: poor };
}

export function tellProgress({ state, journal, elapsedMs }: Work): void {
  const { completed, failed, total } = tally(state);
  journal.tell('progress_update', {
    iteration: state.iteration,
    tasks_completed: completed,
    tasks_total: total,
    tasks_failed: failed,
    tokens_used: state.tokens,
    elapsed_secs: Math.floor(elapsedMs() / 1000),
    goal_confidence: state.confidence,
  });
}
