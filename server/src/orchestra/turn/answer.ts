import { AppError } from '../../lib/errors.ts';
import { strictJson } from '../json.ts';
import { type ChatMessage, textOf } from '../messages.ts';
import { type Choosing, chooseTaskModel, synthesisDifficulty } from '../models.ts';
import type { CompleteAnswer, CompleteRequest } from '../ports.ts';
import { synthesisMessages } from '../prompts/plan.ts';
import { styleMessages } from '../prompts/style.ts';
import { openCalls, type TaskResult } from '../store/plans.ts';
import { callFault } from '../task/call-fault.ts';
import { requireFit, tryModels } from '../task/failover.ts';
import { fitResultsTo, isRequestedCut, joinResults } from '../task/results.ts';
import { answeringTask } from '../task/schedule.ts';
import { answerParams, schemaOf, wantsJson } from './body.ts';
import { newGate } from './gate.ts';
import type { RunningPlan } from './plan-turn.ts';
import { withoutRequest } from './plan-turn.ts';
import type { Remembering } from './remember.ts';
import { told } from './run-plan.ts';
import { ask, failedOver, type Turn } from './turn.ts';
import { sectionsBefore } from './verbose.ts';

export interface Answer {
  message: ChatMessage;
  finishReason: string;
  model: string | null;
}

/** Step 6: the last task's text, a synthesis of several results, or the tool calls for the client. */
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
  const { finishReason, model } = ended;
  const ending = openEnds.has(finishReason) ? finishReason : 'stop';
  return { message: { role: 'assistant', content: turn.writer.content }, finishReason: ending, model };
}

/** Without calls, `tool_calls` would have the client wait for some. */
const openEnds: ReadonlySet<string> = new Set(['length', 'content_filter']);

type Answering = Extract<TaskResult, { text: unknown }>;
/** Whether the result has a text for the user. A text that failed the checks counts too, if there is nothing better. */
const answers = (result: TaskResult | null | undefined): result is Answering =>
  result?.status === 'completed' || (result?.status === 'failed' && result.text !== null);

function direct(result: Answering) {
  const { model, finishReason = 'stop' } = result;
  return { finishReason, model };
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
  const cut = await fitResultsTo(results, choose(turn.choosing)?.model, settings.maxContextTokens, turn);
  const messages = synthesisMessages({
    context: [...memory.preamble, ...styleMessages(settings.verbosity), ...withoutRequest(turn, memory)],
    request: turn.request,
    results: cut,
    fence: turn.fence,
  });
  // Once output was sent to the client, another model cannot continue it.
  const isRead = () => writer.content.length > start;
  try {
    if (wantsJson(body) || !isRequestedCut(results, cut)) {
      const { finishReason, model } = (await tryModels(turn.choosing, {
        choose,
        ask: (model, failover) =>
          written(turn, { model, messages, ...(failover && { insteadOf: failover.from }) }, isRead),
        failedOver: (failover) => failedOver(turn, failover),
        helps: (error) => callFault(error) === 'unanswered' && !isRead(),
      }))!;
      return { finishReason, model };
    }
  } catch (error) {
    turn.signal.throwIfAborted();
    if (isRead()) throw error;
    deps.warn('the synthesis failed', error);
  }
  writer.say(joinResults(results));
  return { finishReason: 'stop', model: null };
}

/** One model's synthesis, streamed as soon as it is clear that it will not be rejected. */
async function written(
  turn: Turn,
  call: Pick<CompleteRequest, 'model' | 'messages' | 'insteadOf'>,
  isRead: () => boolean,
): Promise<CompleteAnswer> {
  const { body, settings, writer } = turn;
  const json = wantsJson(body);
  const gate = newGate(writer.say, json ? 'whole' : 'beginning');
  const params = answerParams(body, settings);
  const { streaming: stream } = writer;
  const answer = await ask(turn, { ...call, params, stream, ...(stream && { onDelta: gate.push }) });
  const said = textOf(answer.message);
  const text = json ? (strictJson(said) ?? said) : said;
  const { finishReason } = answer;
  const limited = params.max_tokens !== undefined;
  if (!isRead()) requireFit({ text, finishReason, wantsJson: json, schema: schemaOf(body), limited });
  await gate.open(text);
  return answer;
}
