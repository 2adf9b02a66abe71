import { AppError } from '../../lib/errors.ts';
import { randomString } from '../../lib/ids.ts';
import type { ChatMessage, ToolCall } from '../messages.ts';
import { chooseTaskModel } from '../models.ts';
import type { PlanTask } from '../plan.ts';
import type { CallParams } from '../ports.ts';
import { taskMessages } from '../prompts/plan.ts';
import { styleMessages } from '../prompts/style.ts';
import type { PausedTask, TaskResult } from '../store/plans.ts';
import type { Attempt, TaskState } from '../task/escalate.ts';
import { fitResultsTo, type SharedResult } from '../task/results.ts';
import { type Engine, type Failed, runTask, type Succeeded } from '../task/run-task.ts';
import { answeringTask } from '../task/schedule.ts';
import { kindOf } from '../triage.ts';
import { answerParams, forcedTool, resultsAndRemarks, schemaOf, taskParams, toolChoice, wantsJson } from './body.ts';
import {
  type Answered,
  type ChatToolbox,
  mostRounds,
  runConnectedCalls,
  toolboxOf,
  withoutCalls,
  withoutToolsAtLimit,
} from './connected-calls.ts';
import { type Gate, newGate } from './gate.ts';
import { type RunningPlan, withoutRequest } from './plan-turn.ts';
import type { Remembering } from './remember.ts';
import { ask, failedOver, type Turn } from './turn.ts';
import { sectionsBefore } from './verbose.ts';

/** A conversation that a task continues. */
interface Talk {
  messages: ChatMessage[];
  model: string;
}

/** Runs one task of a plan; `results` are those of the tasks it depends on. Throws only errors that end the turn. */
export async function runPlanTask(
  turn: Turn,
  memory: Remembering,
  plan: RunningPlan,
  task: PlanTask,
  results: SharedResult[],
  signal: AbortSignal,
): Promise<TaskResult> {
  const { body, settings, request, fence } = turn;
  const final = task === answeringTask(plan.tasks);
  const params = final ? answerParams(body, settings) : taskParams(body, settings);
  const before = plan.results[task.id];
  const paused = before?.status === 'waiting_for_tools' ? before.paused : null;
  const state: TaskState = { difficulty: paused?.difficulty ?? task.difficulty, faults: [...(paused?.faults ?? [])] };
  const toolbox = toolboxOf(turn, plan);
  const messages = async ({ model }: Attempt): Promise<ChatMessage[]> => {
    const preamble = [...memory.preamble, ...(final ? styleMessages(settings.verbosity) : [])];
    if (plan.single) return [...preamble, ...memory.conversation];
    const context = [...preamble, ...withoutRequest(turn, memory)];
    const told = await fitResultsTo(results, model, settings.maxContextTokens, turn);
    return taskMessages({ context, request, task, results: told, final, fence });
  };
  let talk: Talk | null = paused && {
    messages: resumedMessages(turn, paused),
    model: resumedModel(turn, paused, task),
  };
  for (let round = 1; ; round += 1) {
    const engine = engineOf(turn, plan, { task, toolbox, closing: round > mostRounds }, final);
    const before = talk;
    const ended = await runTask(
      {
        kind: kindOf(task.instruction),
        state,
        adaptive: true,
        model: before?.model,
        params: { ...params, ...toolParams(turn, toolbox, round) },
        tools: toolbox.tools,
        // A forced tool is required only in the first round.
        forced: round === 1 ? forcedTool(body, settings) : null,
        wantsJson: final && wantsJson(body),
        schema: schemaOf(body),
        messages: (at) => (before ? withoutToolsAtLimit(before.messages, round) : messages(at)),
        signal,
      },
      engine,
    );
    if (!ended) return { status: 'failed', text: null, error: 'no model', model: null };
    const { at, attempted } = ended;
    if (attempted.fault !== null) return failed(turn, engine, at, attempted);
    const answered: Answered | null = await runConnectedCalls(turn, toolbox, attempted, signal);
    if (!answered) return finished(attempted, at, state);
    if (answered.left.length > 0) return waiting(answered.messages, answered.left, at, state);
    talk = { messages: answered.messages, model: at.model };
  }
}

function failed(turn: Turn, engine: ReturnType<typeof engineOf>, { model }: Attempt, attempted: Failed): TaskResult {
  const { body, settings } = turn;
  if (attempted.error) turn.lastError = attempted.error;
  if (attempted.fault === 'no_tool_call') {
    const name = forcedTool(body, settings)?.name;
    const what = name === undefined ? 'a tool, which tool_choice requires' : `${name}, which tool_choice names`;
    turn.lastError = new AppError('provider_error', `No model called ${what}`);
  }
  return { status: 'failed', ...engine.sayLeft(), error: attempted.fault, model };
}

function toolParams({ body, settings }: Turn, { tools }: ChatToolbox, round: number): CallParams {
  if (tools.length === 0) return {};
  const { parallel_tool_calls } = body;
  const wanted = toolChoice(body, settings) ?? undefined;
  const forces = round > 1 && forcedTool(body, settings) !== null;
  // Vendors require the tools of a conversation to be sent even if no more may be called.
  const tool_choice = round > mostRounds ? 'none' : forces ? 'auto' : wanted;
  return {
    ...(tool_choice !== undefined && { tool_choice }),
    ...(parallel_tool_calls !== undefined && { parallel_tool_calls }),
  };
}

interface Engaged {
  task: PlanTask;
  toolbox: ChatToolbox;
  /** The task has reached its limit of tool rounds. */
  closing: boolean;
}

/** Streams the final task's text to the client, as soon as it is clear that it will not be rejected. */
function engineOf(turn: Turn, plan: RunningPlan, { task, toolbox, closing }: Engaged, final: boolean) {
  const { writer, settings, choosing, outcomes } = turn;
  const json = wantsJson(turn.body);
  // Until the answer ends, its text may turn out to accompany a tool call, and then it is not the final result.
  const forced = toolbox.tools.length > 0 && forcedTool(turn.body, settings) !== null;
  const held = forced || turn.connected.length > 0 || (settings.final_only && plan.tools.length > 0);
  let isRead = false;
  let gate: Gate | null = null;
  /** The text of the last failed attempt that had one, and how it ended. */
  let left: Pick<Failed, 'text' | 'finishReason'> = { text: null };
  const say = (text: string) => {
    if (!isRead && !json) writer.say(sectionsBefore(settings, plan, task));
    isRead = true;
    return writer.say(text);
  };
  return {
    choosing,
    outcomes,
    failedOver: (failover) => failedOver(turn, failover),
    ask({ last, failover }, call) {
      const mode = json || held ? 'whole' : last ? 'none' : 'beginning';
      gate = final && writer.streaming ? newGate(say, mode) : null;
      const { push } = gate ?? {};
      const insteadOf = failover?.from;
      const asked = { ...call, stream: gate !== null, ...(push && { onDelta: push }), ...(insteadOf && { insteadOf }) };
      return closing ? withoutCalls(ask(turn, asked)) : ask(turn, asked);
    },
    isRead: () => isRead,
    async ended({ model, number }, attempted) {
      if (attempted.fault === null) {
        const { toolCalls } = attempted;
        if (settings.final_only && toolCalls.length > 0) return;
        if (toolCalls.some(toolbox.isConnected)) return;
        if (gate) await gate.open(attempted.text);
        else if (final) await say(attempted.text);
        return;
      }
      // If a forced tool call is missing, the text is not an answer at all.
      const { text, finishReason } = attempted;
      if (attempted.fault !== 'no_tool_call' && text !== null) left = { text, finishReason };
      const words = attempted.error ? 'did not answer' : `gave a result that is ${attempted.fault}`;
      writer.think(`${task.title}: ${model} ${words}, attempt ${number}.`);
    },
    /** A refused or cut-off text is better than nothing; the result is still reported as failed. */
    sayLeft() {
      if (left.text !== null && final && !isRead) say(left.text);
      return left;
    },
  } satisfies Engine & { sayLeft(): typeof left };
}

/** Usually the model that called the tools, unless it cannot read what they returned. */
function resumedModel(turn: Turn, { model: from, difficulty }: PausedTask, { instruction }: PlanTask): string {
  const other = turn.tooSmall.includes(from) && chooseTaskModel(turn.choosing, difficulty, kindOf(instruction));
  if (!other) return from;
  failedOver(turn, { from, to: other.model, why: 'context_length_exceeded' });
  return other.model;
}

function resumedMessages({ body }: Turn, { messages, call }: PausedTask): ChatMessage[] {
  const wanted = new Set(call.tool_calls?.map(({ id }) => id));
  const { results, remarks } = resultsAndRemarks(body.messages);
  return [...messages, call, ...results.filter((one) => wanted.has(one.tool_call_id ?? '')), ...remarks];
}

function finished(done: Succeeded, { model, difficulty }: Attempt, { faults }: TaskState): TaskResult {
  const { text, toolCalls, answer, messages } = done;
  if (toolCalls.length === 0) return { status: 'completed', text, model, finishReason: answer.finishReason };
  return waiting(messages, toolCalls, { model, difficulty }, { faults }, answer.message.content);
}

function waiting(
  messages: ChatMessage[],
  toolCalls: ToolCall[],
  { model, difficulty }: Pick<Attempt, 'model' | 'difficulty'>,
  { faults }: Pick<TaskState, 'faults'>,
  content: ChatMessage['content'] = null,
): TaskResult {
  // Vendors number calls from one in every answer; these ids must be unique, because they alone identify the plan.
  const calls = toolCalls.map((call) => ({ ...call, id: `call_${randomString(24)}` }));
  const call: ChatMessage = { role: 'assistant', content, tool_calls: calls };
  return { status: 'waiting_for_tools', paused: { messages, call, model, difficulty, faults } };
}
