import { AppError } from '../../lib/errors.ts';
import { randomString } from '../../lib/ids.ts';
import type { ChatMessage } from '../messages.ts';
import type { PlanTask } from '../plan.ts';
import type { CallParams } from '../ports.ts';
import { taskMessages } from '../prompts/plan.ts';
import { styleMessages } from '../prompts/style.ts';
import type { PausedTask, TaskResult } from '../store/plans.ts';
import type { Attempt, TaskState } from '../task/escalate.ts';
import { fitted, type Told } from '../task/results.ts';
import { type Engine, runTask, type Succeeded } from '../task/run-task.ts';
import { answeringTask } from '../task/schedule.ts';
import { kindOf } from '../triage.ts';
import { answerParams, forcedTool, taskParams, toolChoice, trailingResults, wantsJson } from './body.ts';
import { type Gate, newGate } from './gate.ts';
import { type RunningPlan, withoutRequest } from './plan-turn.ts';
import type { Remembering } from './remember.ts';
import { ask, failedOver, type Turn } from './turn.ts';
import { sectionsBefore } from './verbose.ts';

/** One task of a plan; `results` are those of the tasks that led to it. Throws only what ends the turn. */
export async function runPlanTask(
  turn: Turn,
  memory: Remembering,
  plan: RunningPlan,
  task: PlanTask,
  results: Told[],
  signal: AbortSignal,
): Promise<TaskResult> {
  const { body, settings, request, fence } = turn;
  const final = task === answeringTask(plan.tasks);
  const params = final ? answerParams(body, settings) : taskParams(body, settings);
  const before = plan.results[task.id];
  const paused = before?.status === 'waiting_for_tools' ? before.paused : null;
  const state: TaskState = { difficulty: paused?.difficulty ?? task.difficulty, faults: [...(paused?.faults ?? [])] };
  const engine = engineOf(turn, plan, task, final);
  const messages = async ({ model }: Attempt): Promise<ChatMessage[]> => {
    if (paused) return resumedMessages(turn, paused);
    const preamble = [...memory.preamble, ...(final ? styleMessages(settings.verbosity) : [])];
    if (plan.single) return [...preamble, ...memory.conversation];
    const context = [...preamble, ...withoutRequest(turn, memory)];
    const told = await fitted(results, model, settings.maxContextTokens, turn);
    return taskMessages({ context, request, task, results: told, final, fence });
  };
  const ended = await runTask(
    {
      kind: kindOf(task.instruction),
      state,
      adaptive: true,
      model: paused?.model,
      params: { ...params, ...toolParams(turn, plan) },
      tools: plan.tools,
      forced: forcedTool(body, settings),
      wantsJson: final && wantsJson(body),
      messages,
      signal,
    },
    engine,
  );
  if (!ended) return { status: 'failed', text: null, error: 'no model', model: null };
  const { at, attempted } = ended;
  if (attempted.fault === null) return finished(attempted, at, state);
  if (attempted.error) turn.lastError = attempted.error;
  if (attempted.fault === 'no_tool_call') {
    const name = forcedTool(body, settings)?.name;
    const what = name === undefined ? 'a tool, which tool_choice requires' : `${name}, which tool_choice names`;
    turn.lastError = new AppError('provider_error', `No model called ${what}`);
  }
  return { status: 'failed', text: engine.sayLeft(), error: attempted.fault, model: at.model };
}

function toolParams({ body, settings }: Turn, { tools }: RunningPlan): CallParams {
  if (tools.length === 0) return {};
  const { parallel_tool_calls } = body;
  const tool_choice = toolChoice(body, settings) ?? undefined;
  return {
    ...(tool_choice !== undefined && { tool_choice }),
    ...(parallel_tool_calls !== undefined && { parallel_tool_calls }),
  };
}

/** What is said of the last task reaches the client as it comes, once it is clear that it will stand. */
function engineOf(turn: Turn, plan: RunningPlan, task: PlanTask, final: boolean) {
  const { writer, settings, choosing, outcomes } = turn;
  const json = wantsJson(turn.body);
  // Until it has ended, a text may turn out to be said beside a call of a tool, which is no final result.
  const forced = plan.tools.length > 0 && forcedTool(turn.body, settings) !== null;
  const held = forced || (settings.final_only && plan.tools.length > 0);
  let isRead = false;
  let gate: Gate | null = null;
  /** The text of the last attempt that failed with one. */
  let left: string | null = null;
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
      return ask(turn, {
        ...call,
        stream: gate !== null,
        ...(push && { onDelta: push }),
        ...(insteadOf && { insteadOf }),
      });
    },
    isRead: () => isRead,
    async ended({ model, number }, attempted) {
      if (attempted.fault === null) {
        if (settings.final_only && attempted.toolCalls.length > 0) return;
        if (gate) await gate.open(attempted.text);
        else if (final) await say(attempted.text);
        return;
      }
      // Instead of the call that was asked for, a text is no answer at all.
      if (attempted.fault !== 'no_tool_call') left = attempted.text ?? left;
      const words = attempted.error ? 'did not answer' : `gave a result that is ${attempted.fault}`;
      writer.think(`${task.title}: ${model} ${words}, attempt ${number}.`);
    },
    /** A refusal or a cut-off text is still the best there is; the caller sees that it counts as failed. */
    sayLeft() {
      if (left !== null && final && !isRead) say(left);
      return left;
    },
  } satisfies Engine & { sayLeft(): string | null };
}

function resumedMessages({ body }: Turn, { messages, call }: PausedTask): ChatMessage[] {
  const wanted = new Set(call.tool_calls?.map(({ id }) => id));
  return [...messages, call, ...trailingResults(body.messages).filter((one) => wanted.has(one.tool_call_id ?? ''))];
}

function finished(done: Succeeded, { model, difficulty }: Attempt, { faults }: TaskState): TaskResult {
  const { text, toolCalls, answer, messages } = done;
  if (toolCalls.length === 0) return { status: 'completed', text, model, finishReason: answer.finishReason };
  // Vendors count calls from one in every answer; the plan is found again by these ids alone.
  const calls = toolCalls.map((call) => ({ ...call, id: `call_${randomString(24)}` }));
  const call: ChatMessage = { role: 'assistant', content: answer.message.content, tool_calls: calls };
  return { status: 'waiting_for_tools', paused: { messages, call, model, difficulty, faults } };
}
