import { randomString } from '../../lib/ids.ts';
import { mostTools } from '../connected-names.ts';
import { asFunction, callConnected } from '../connected-tools.ts';
import type { ChatMessage, ToolCall } from '../messages.ts';
import type { CompleteAnswer } from '../ports.ts';
import type { PlanState } from '../store/plans.ts';
import type { Succeeded } from '../task/run-task.ts';
import { toolNames } from './body.ts';
import type { Turn } from './turn.ts';

/** The most answers of one task that may call tools; otherwise a model that keeps calling would never finish. */
export const mostRounds = 16;
/** The most calls of one answer that are made. */
const mostCalls = 32;

/** The tools a task's model may call: the client's, and those of connected servers. */
export interface ChatToolbox {
  /** Definitions as sent to models. */
  tools: unknown[];
  isConnected(call: ToolCall): boolean;
}

/** If both have a tool of the same name, the client's wins. */
export function toolboxOf({ connected }: Pick<Turn, 'connected'>, { tools }: Pick<PlanState, 'tools'>): ChatToolbox {
  const own = new Set(toolNames(tools));
  const theirs = connected.filter(({ name }) => !own.has(name)).slice(0, Math.max(0, mostTools - tools.length));
  const names = new Set(theirs.map(({ name }) => name));
  return {
    tools: [...tools, ...theirs.map(asFunction)],
    isConnected: (call) => names.has(call.function.name),
  };
}

/** The outcome of the tool calls of one answer. */
export interface Answered {
  /** The conversation including the tool results. */
  messages: ChatMessage[];
  /** Calls of the client's own tools, which only the client can run. */
  left: ToolCall[];
}

/** Runs the calls of connected tools, in order; null if there are none. */
export async function runConnectedCalls(
  turn: Turn,
  toolbox: ChatToolbox,
  { toolCalls, answer, messages }: Succeeded,
  signal: AbortSignal,
): Promise<Answered | null> {
  const ours = toolCalls.filter(toolbox.isConnected).slice(0, mostCalls);
  if (ours.length === 0) return null;
  const calls = ours.map((call) => ({ ...call, id: `call_${randomString(24)}` }));
  const said: ChatMessage[] = [{ role: 'assistant', content: answer.message.content, tool_calls: calls }];
  for (const { id, function: called } of calls) {
    turn.writer.think(`Calling ${called.name}.`);
    const { text, cost } = await callConnected(turn.deps, turn.caller, { ...called, approved: false }, signal);
    turn.meter.cost += cost;
    said.push({ role: 'tool', tool_call_id: id, content: text });
  }
  return { messages: [...messages, ...said], left: toolCalls.filter((call) => !toolbox.isConnected(call)) };
}

const closing: ChatMessage = {
  role: 'user',
  content: 'You have called tools as often as this request allows. Answer now with what you have, without calling any.',
};

export const withoutToolsAtLimit = (messages: ChatMessage[], round: number): ChatMessage[] =>
  round > mostRounds ? [...messages, closing] : messages;

/** If a model calls tools although it must not, only its text is used. */
export async function withoutCalls(asked: Promise<CompleteAnswer>): Promise<CompleteAnswer> {
  const answer = await asked;
  const { tool_calls: _, ...message } = answer.message;
  return { ...answer, message };
}
