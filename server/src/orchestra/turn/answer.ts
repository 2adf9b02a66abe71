import { AppError } from '../../lib/errors.ts';
import { strictJson } from '../json.ts';
import { type ChatMessage, textOf } from '../messages.ts';
import { type Choosing, chooseTaskModel, synthesisDifficulty } from '../models.ts';
import { synthesisMessages } from '../prompts/plan.ts';
import { styleMessages } from '../prompts/style.ts';
import { openCalls, type TaskResult } from '../store/plans.ts';
import { callFault } from '../task/call-fault.ts';
import { fitted, joined } from '../task/results.ts';
import { answeringTask } from '../task/schedule.ts';
import { answerParams, wantsJson } from './body.ts';
import { newGate } from './gate.ts';
import type { RunningPlan } from './plan-turn.ts';
import { withoutRequest } from './plan-turn.ts';
import type { Remembering } from './remember.ts';
import { told } from './run-plan.ts';
import { askChosen, type Turn } from './turn.ts';
import { sectionsBefore } from './verbose.ts';

export interface Answer {
  message: ChatMessage;
  finishReason: string;
  model: string | null;
}

/** Step 6: the last task's text, a synthesis of several, or the calls that the client is to run. */
export async function answerTurn(turn: Turn, memory: Remembering, plan: RunningPlan): Promise<Answer> {
  const calls = openCalls(plan);
  if (calls.length > 0) {
    turn.progress.status = 'waiting_for_tools';
    const content = turn.writer.content === '' ? null : turn.writer.content;
    return { message: { role: 'assistant', content, tool_calls: calls }, finishReason: 'tool_calls', model: null };
  }
  const last = answeringTask(plan.tasks);
  const result = last && plan.results[last.id];
  const ended = await (answers(result) ? direct(result) : synthesise(turn, memory, plan));
  turn.progress.status = turn.progress.completed === 0 && turn.progress.failed > 0 ? 'failed' : 'completed';
  turn.progress.currentTask = null;
  return { message: { role: 'assistant', content: turn.writer.content }, ...ended };
}

type Answering = Extract<TaskResult, { text: unknown }>;
/** Whether its text is what the user gets: also what failed the checks, when there was nothing better. */
const answers = (result: TaskResult | null | undefined): result is Answering =>
  result?.status === 'completed' || (result?.status === 'failed' && result.text !== null);

function direct(result: Answering) {
  const { model } = result;
  if (result.status === 'completed') return { finishReason: result.finishReason, model };
  return { finishReason: result.error === 'cut_off' ? 'length' : 'stop', model };
}

async function synthesise(turn: Turn, memory: Remembering, plan: RunningPlan): Promise<Omit<Answer, 'message'>> {
  const results = plan.tasks.flatMap(({ id }) => (plan.results[id] ? [told(plan, id, plan.results[id])] : []));
  if (results.every(({ text }) => text === null)) {
    throw turn.lastError ?? new AppError('provider_error', 'No model gave a usable answer');
  }
  const { body, settings, writer, deps } = turn;
  if (!wantsJson(body)) writer.say(sectionsBefore(settings, plan, null));
  const start = writer.content.length;
  const choose = (choosing: Choosing) =>
    chooseTaskModel(choosing, settings.task_difficulty ?? synthesisDifficulty, 'writing');
  const messages = synthesisMessages({
    context: [...memory.preamble, ...styleMessages(settings.verbosity), ...withoutRequest(turn, memory)],
    request: turn.request,
    results: await fitted(results, choose(turn.choosing)?.model, settings.maxContextTokens, turn),
    fence: turn.fence,
  });
  const gate = newGate(writer.say, wantsJson(body) ? 'whole' : 'none');
  try {
    const call = {
      messages,
      params: answerParams(body, settings),
      stream: writer.streaming,
      ...(writer.streaming && { onDelta: (text: string) => gate.push(text) }),
    };
    // What somebody has begun to read no other model can go on with.
    const helps = (error: unknown) => callFault(error) === 'unanswered' && writer.content.length === start;
    const answer = (await askChosen(turn, choose, call, helps))!;
    const text = textOf(answer.message);
    if (writer.content.length === start) writer.say(wantsJson(body) ? (strictJson(text) ?? text) : text);
    if (writer.content.length > start) return { finishReason: answer.finishReason, model: answer.model };
  } catch (error) {
    turn.signal.throwIfAborted();
    if (writer.content.length > start) throw error;
    deps.warn('the synthesis failed', error);
  }
  writer.say(joined(results));
  return { finishReason: 'stop', model: null };
}
