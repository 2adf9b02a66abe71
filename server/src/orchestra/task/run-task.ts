import { strictJson } from '../json.ts';
import { type ChatMessage, type ToolCall, textOf } from '../messages.ts';
import type { Choosing } from '../models.ts';
import type { CallParams, CompleteAnswer, CompleteRequest } from '../ports.ts';
import type { Outcome } from '../store/patterns.ts';
import { callFault } from './call-fault.ts';
import { findFault } from './checks.ts';
import { type Attempt, type AttemptFault, dueAttempt, type Escalation, escalate } from './escalate.ts';
import { type Failover, failureReason } from './failover.ts';

export interface Task extends Escalation {
  /** The model of a half-finished task, which continues it even if another would be chosen now. */
  model?: string;
  params: CallParams;
  /** The client's tools. Tool calls count as an answer only if there are any. */
  tools: unknown[];
  /** The answer must call a tool: any, or the one named. */
  forced?: { name?: string } | null;
  wantsJson: boolean;
  schema?: unknown;
  messages(at: Attempt): ChatMessage[] | Promise<ChatMessage[]>;
  signal: AbortSignal;
}

/** The outcome of one attempt. */
export type Attempted = Succeeded | Failed;

export interface Succeeded {
  fault: null;
  text: string;
  toolCalls: ToolCall[];
  answer: CompleteAnswer;
  messages: ChatMessage[];
}

export interface Failed {
  fault: AttemptFault;
  text: string | null;
  /** How the text ended. */
  finishReason?: string;
  /** The error of the call, if it was not answered at all. */
  error?: unknown;
}

type Call = Pick<CompleteRequest, 'model' | 'messages' | 'params' | 'tools' | 'signal'>;

/** The parts of an attempt that differ between turns and runs. */
export interface Engine {
  readonly choosing: Choosing;
  outcomes: Outcome[];
  started?(at: Attempt): void;
  failedOver(failover: Failover): void;
  ask(at: Attempt, call: Call): Promise<CompleteAnswer>;
  /** Whether a client has already read part of this attempt's text: then no other model can continue it. */
  isRead(): boolean;
  /** Called once the task's state includes the next step, so storing that state is enough to continue from it. */
  ended(at: Attempt, attempted: Attempted, next: Attempt | null): Promise<void> | void;
}

/** Runs one task, attempt by attempt. Null if there is no model for it; throws errors that no other model can avoid. */
export async function runTask(task: Task, engine: Engine): Promise<{ at: Attempt; attempted: Attempted } | null> {
  const { kind, state } = task;
  let at: Attempt | null = task.model
    ? { number: state.faults.length + 1, model: task.model, difficulty: state.difficulty, last: false }
    : dueAttempt(engine.choosing, task);
  while (at) {
    if (at.failover) engine.failedOver(at.failover);
    engine.started?.(at);
    const attempted: Attempted = await attempt(task, engine, at);
    const { model, difficulty }: Attempt = at;
    // An outage says nothing about a model's abilities.
    if (attempted.fault !== 'unanswered')
      engine.outcomes.push({ kind, difficulty, model, ok: attempted.fault === null });
    const over = attempted.fault === null || engine.isRead();
    const why = attempted.fault === 'unanswered' ? failureReason(attempted.error) : undefined;
    const next = over ? null : escalate(engine.choosing, task, model, attempted.fault, why);
    await engine.ended(at, attempted, next);
    if (!next) return { at, attempted };
    at = next;
  }
  return null;
}

async function attempt(task: Task, engine: Engine, at: Attempt): Promise<Attempted> {
  const { params, tools, forced = null, wantsJson, schema, signal } = task;
  try {
    const messages = await task.messages(at);
    const call = { model: at.model, messages, params, ...(tools.length > 0 && { tools }), signal };
    const answer = await engine.ask(at, call);
    const toolCalls = tools.length > 0 ? (answer.message.tool_calls ?? []) : [];
    const hasToolCalls = toolCalls.length > 0;
    const called = ({ function: { name } }: ToolCall) => forced?.name === undefined || name === forced.name;
    const lacksCall = forced !== null && tools.length > 0 && !toolCalls.some(called);
    const raw = textOf(answer.message);
    const text = wantsJson && !hasToolCalls ? (strictJson(raw) ?? raw) : raw;
    const { finishReason } = answer;
    // The limit that cut the text off was set on purpose.
    const limited = params.max_tokens !== undefined;
    const fault = findFault({ text, finishReason, hasToolCalls, lacksCall, wantsJson, schema, limited });
    if (fault) return { fault, text: text.trim() === '' ? null : text, finishReason };
    return { fault: null, text, toolCalls, answer, messages };
  } catch (error) {
    signal.throwIfAborted();
    const fault = callFault(error);
    if ((fault !== 'unanswered' && fault !== 'rejected') || engine.isRead()) throw error;
    return { fault, text: null, error };
  }
}
