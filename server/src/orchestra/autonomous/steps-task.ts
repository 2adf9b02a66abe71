import { beginningOf } from '../../lib/cut-text.ts';
import { table } from '../../lib/table.ts';
import type { ChatMessage } from '../messages.ts';
import { harder } from '../models.ts';
import { fenceRule, newFence } from '../prompts/fence.ts';
import { remarkParts, taskMessages } from '../prompts/plan.ts';
import type { Attempt } from '../task/escalate.ts';
import { fitResultsTo } from '../task/results.ts';
import { type Engine, type Failed, runTask, type Succeeded } from '../task/run-task.ts';
import { answeringTask, distancesTo, runGraph, widthOf } from '../task/schedule.ts';
import { kindOf } from '../triage.ts';
import { Pause } from './halt.ts';
import { instructionParts } from './instructions.ts';
import { again, isWeak, live, type RunState, type RunTask, redoDependents } from './state.ts';
import { evaluateTask } from './steps-judge.ts';
import { answerCalls, isClosing, noteRound, talkMessages, tellInstructions } from './steps-talk.ts';
import { pendingIn, waitingReason } from './task-conversation.ts';
import { resultText } from './texts.ts';
import { openToolbox, type Toolbox } from './toolbox.ts';
import { askModel, failedOver, stepKey, type Work } from './work.ts';

const previewLength = 200;
const longestRemarks = 1000;
/** Minimum interval between progress events of a task. */
const progressMs = 2000;
/** About half the length of a typical result; used only to estimate the progress shown. */
const usualLength = 2000;

/** Runs the pending tasks, each as soon as its dependencies are done, and evaluates each result. */
export async function runTasks(work: Work): Promise<void> {
  const { state, preferences } = work;
  redoDependents(state);
  let pause: Pause | null = null;
  await runGraph<RunTask, RunTask>({
    tasks: state.tasks,
    width: widthOf(preferences),
    done: new Map(state.tasks.filter((task) => isSettled(work, task)).map((task) => [task.id, task])),
    signal: work.signal,
    run: async (task, before, signal) => {
      try {
        await settle(work, task, [...before.values()], signal);
      } catch (error) {
        // Let the running tasks finish: if they were aborted, their calls would have to be paid for again.
        if (!(error instanceof Pause)) throw error;
        pause ??= error;
      }
      return task;
    },
    pausesAfter: () => pause !== null,
  });
  if (pause !== null) throw waitingPause(state, pause);
  const ran = state.tasks.filter((task) => task.ranIn === state.iteration);
  const unanswered = ({ status, faults }: RunTask) => status === 'failed' && faults.at(-1)?.fault === 'unanswered';
  if (ran.length > 0 && ran.every(unanswered)) throw new Pause('provider_unavailable');
}

/** Several tasks may be waiting for different things, so the reason is derived from all of them. */
function waitingPause(state: RunState, first: Pause): Pause {
  const waits = first.reason === 'approval' || first.reason === 'tool_calls';
  return waits ? new Pause(waitingReason(pendingIn(state)) ?? first.reason) : first;
}

/** How often a task is redone because of a weak result before dependent tasks use it. */
const mostRedone = 1;

/** Whether the task needs no work now. Weak results of earlier iterations are left to the plan revision. */
function isSettled({ state }: Work, task: RunTask): boolean {
  if (task.status !== 'completed') return task.status !== 'pending';
  const redo = isWeak(task) && task.ranIn === state.iteration && (task.redone ?? 0) < mostRedone;
  return task.score !== null && !redo;
}

/** Runs a task until its result is good enough or its retries are used up; the best result is kept. */
async function settle(work: Work, task: RunTask, before: RunTask[], signal: AbortSignal): Promise<void> {
  let best: Pick<RunTask, 'step' | 'score' | 'feedback'> | null = null;
  for (;;) {
    if (task.status === 'pending') await runOne(work, task, before, signal);
    if (task.status === 'completed' && task.score === null) await evaluateTask(work, task, signal);
    if (best && (task.score ?? 0) < best.score!) Object.assign(task, best);
    if (isSettled(work, task)) return;
    best = { step: task.step, score: task.score, feedback: task.feedback };
    task.redone = (task.redone ?? 0) + 1;
    const harderNow = work.config.enable_adaptive_retry ? { difficulty: harder(task.difficulty) } : {};
    again(task, `scored ${task.score}`, harderNow);
  }
}

/** Asks until the model answers with text instead of tool calls. */
async function runOne(work: Work, task: RunTask, before: RunTask[], signal: AbortSignal): Promise<void> {
  const most = work.preferences.max_output_tokens;
  const told = { attempt: 0 };
  do {
    const toolbox = await openToolbox(work);
    if (task.talk) {
      await answerCalls(work, task, toolbox, signal);
      await tellInstructions(work, task);
    }
    const ended = await runTask(
      {
        kind: kindOf(task.instruction),
        state: task,
        adaptive: work.config.enable_adaptive_retry,
        ...(task.talk && { model: task.talk.model }),
        // Vendors require the tools of a conversation to be listed, even if no more may be called.
        params: { ...(most > 0 && { max_tokens: most }), ...(isClosing(task) && { tool_choice: 'none' }) },
        tools: toolbox.tools,
        wantsJson: false,
        messages: ({ model }) => (task.talk ? talkMessages(work, task) : messagesFor(work, task, before, model)),
        signal,
      },
      engineOf(work, task, toolbox, told),
    );
    if (!ended) throw new Pause('provider_unavailable');
  } while (task.talk);
}

/** Sends events during each attempt and records it in the journal before the next one starts. */
function engineOf(work: Work, task: RunTask, toolbox: Toolbox, told: { attempt: number }): Engine {
  const { journal, deps, outcomes } = work;
  const { id: task_id, title } = task;
  let startedMs = 0;
  let step = '';
  return {
    get choosing() {
      return work.choosing;
    },
    outcomes,
    started({ model, difficulty }) {
      const attempt = task.attempts + 1;
      startedMs = deps.clock.steadyMs();
      step = stepKey(work, `task:${task_id}:${attempt}`);
      journal.currentTask = title;
      // An attempt that continues after tool calls was already announced.
      if (told.attempt === attempt) return;
      told.attempt = attempt;
      if (task.redo) journal.tell('task_redone', { task_id, title, reason: task.redo, attempt });
      task.redo = null;
      journal.tell('task_started', { task_id, title, model, difficulty, attempt });
      journal.tell('task_progress', { task_id, progress: 0, message: `calling ${model}` });
    },
    failedOver: (failover) => failedOver(work, failover, task_id),
    async ask({ failover }, call) {
      const round = (task.talk?.rounds ?? 0) + 1;
      const onDelta = listener(work, task_id);
      const answer = await askModel(work, { ...call, step, call: round, onDelta, insteadOf: failover?.from });
      const { tool_calls: _, ...message } = answer.message;
      return isClosing(task) ? { ...answer, message } : answer;
    },
    isRead: () => false,
    ended({ model }, attempted, next) {
      if (attempted.fault === null && attempted.toolCalls.length > 0)
        return noteRound(work, task, { step, model, toolbox }, attempted);
      task.attempts += 1;
      task.ranIn = work.state.iteration;
      if (attempted.fault !== null) return failed(work, task, step, model, attempted, next);
      return completed(work, task, step, model, attempted, deps.clock.steadyMs() - startedMs);
    },
  };
}

/** Forwards the text as it arrives, with a progress event now and then. */
function listener({ journal, deps }: Work, task_id: string): (text: string) => void {
  let length = 0;
  let told = deps.clock.steadyMs();
  return (text) => {
    length += text.length;
    journal.piece(task_id, text);
    if (deps.clock.steadyMs() - told < progressMs) return;
    told = deps.clock.steadyMs();
    const progress = Math.round((90 * length) / (length + usualLength)) / 100;
    journal.tell('task_progress', { task_id, progress, message: `${length} characters so far` });
  };
}

function completed(work: Work, task: RunTask, step: string, model: string, done: Succeeded, tookMs: number) {
  const { journal, texts } = work;
  const { text, answer } = done;
  const { promptTokens, completionTokens } = answer.usage;
  const tokens = promptTokens + completionTokens;
  const inAll = tokens + (task.talk?.tokens ?? 0);
  Object.assign(task, { status: 'completed', step, score: null, feedback: null, error: null, talk: null });
  texts.set(step, text);
  journal.tell('task_completed', {
    task_id: task.id,
    status: 'completed',
    tokens_used: inAll,
    execution_time_ms: tookMs,
    attempt: task.attempts,
    result_preview: beginningOf(text, previewLength),
  });
  return journal.record(step, { text, model }, tokens);
}

const faultWords = table<string>({
  empty: 'the answer was empty',
  refused: 'the model refused',
  cut_off: 'the answer was cut off',
  wrong_format: 'the answer has the wrong format',
});

/** The next attempt, if there is one, is told what was wrong; otherwise an older result is used if the task has one. */
function failed(work: Work, task: RunTask, step: string, model: string, why: Failed, next: Attempt | null) {
  const { journal, config } = work;
  const error = faultWords[why.fault] ?? (why.error as Error).message;
  task.error = error;
  if (!next) Object.assign(task, { status: task.step === null ? 'failed' : 'completed', talk: null });
  else if (config.enable_adaptive_retry && why.fault !== 'unanswered')
    task.feedback = `An earlier attempt failed: ${error}.`;
  journal.tell('task_failed', {
    task_id: task.id,
    error,
    attempt: task.attempts,
    will_retry: next !== null,
    ...(next && { next_model: next.model }),
  });
  return journal.record(step, { error, model });
}

async function messagesFor(work: Work, task: RunTask, before: RunTask[], model: string): Promise<ChatMessage[]> {
  const { state, goal, context, preferences } = work;
  const remarks = task.feedback && beginningOf(task.feedback, longestRemarks);
  const fence = newFence();
  const tasks = live(state);
  const alone = tasks.length === 1 && task.instruction === goal;
  if (alone) {
    const told = remarkParts(remarks, fence);
    const parts = [...told, ...(told.length > 0 ? [fenceRule(fence)] : []), goal, ...instructionParts(state)];
    return [...context, { role: 'user', content: parts.join('\n\n') }];
  }
  const distances = distancesTo(state.tasks, task);
  const results = before.flatMap((other) => {
    if (other.status === 'skipped') return [];
    const text = resultText(work, other);
    const distance = distances.get(other.id);
    return [{ title: other.title, text, distance, ...(text === null && { error: other.error ?? 'no result' }) }];
  });
  return taskMessages({
    context,
    request: { role: 'user', content: [goal, ...instructionParts(state)].join('\n\n') },
    task,
    results: await fitResultsTo(results, model, preferences.max_context_tokens, work),
    remarks,
    final: task === answeringTask(tasks),
    fence,
  });
}
