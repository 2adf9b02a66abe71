import { AppError } from '../../lib/errors.ts';
import { randomString } from '../../lib/ids.ts';
import { type Fault, findFault } from '../checks.ts';
import { strictJson } from '../json.ts';
import { type ChatMessage, textOf } from '../messages.ts';
import { chooseOtherModel, chooseTaskModel, harder, maxAttempts } from '../models.ts';
import type { Difficulty } from '../params.ts';
import type { Kind } from '../patterns.ts';
import type { CallParams, CompleteAnswer } from '../ports.ts';
import type { PausedTask, TaskResult } from '../store/plans.ts';
import { newGate } from './gate.ts';
import { ask, type Turn } from './turn.ts';

export interface TaskRun {
  title: string;
  kind: Kind;
  difficulty: Difficulty;
  messages: ChatMessage[];
  params: CallParams;
  tools: unknown[];
  wantsJson: boolean;
  limited: boolean;
  /** Where the text goes as it comes; null for a task whose text is not the answer. */
  say: ((text: string) => void) | null;
  /** Goes on with this instead of starting anew. */
  paused: { task: PausedTask; results: ChatMessage[] } | null;
  signal: AbortSignal;
}

/** Faults that the same model would only repeat. */
const repeating = new Set<string>(['refused', 'cut_off']);
/** Errors that no other model can help with. */
const final = new Set<string>([
  'insufficient_user_quota',
  'insufficient_key_quota',
  'invalid_api_key',
  'ip_not_allowed',
  'invalid_value',
  'missing_required_parameter',
]);

/** One task: each failed attempt goes one difficulty up, at most three attempts. Throws only what ends the turn. */
export async function runTask(turn: Turn, run: TaskRun): Promise<TaskResult> {
  let difficulty = run.paused?.task.difficulty ?? run.difficulty;
  let last: { fault: string; text: string | null; model: string | null; error?: unknown } = {
    fault: 'no model',
    text: null,
    model: null,
  };
  const tried: string[] = [];
  for (let attempt = run.paused?.task.attempt ?? 1; attempt <= maxAttempts; attempt++) {
    const usual = run.paused && last.model === null ? run.paused.task.model : modelFor(turn, run, difficulty);
    const repeats = usual === last.model && repeating.has(last.fault);
    const model = repeats ? chooseOtherModel(turn.choosing, tried) : usual;
    if (model === null) break;
    tried.push(model);
    const outcome = await attemptTask(turn, run, model, attempt);
    turn.outcomes.push({ kind: run.kind, difficulty, model, ok: outcome.fault === null });
    if (outcome.fault === null) return finished(run, outcome.answer, { model, difficulty, attempt });
    turn.writer.think(`${run.title}: ${model} ${faultWords(outcome.fault)}, attempt ${attempt} of ${maxAttempts}.`);
    if (outcome.said) return { status: 'failed', text: outcome.text, error: outcome.fault, model };
    last = { fault: outcome.fault, text: outcome.text ?? last.text, model, error: outcome.error };
    difficulty = harder(difficulty);
  }
  // A refusal or a cut-off text is still the best there is; the caller sees that it counts as failed.
  if (last.text !== null && run.say) run.say(last.text);
  if (last.error) turn.lastError = last.error;
  return { status: 'failed', text: last.text, error: last.fault, model: last.model };
}

const modelFor = (turn: Turn, run: TaskRun, difficulty: Difficulty): string | null =>
  chooseTaskModel(turn.choosing, difficulty, run.kind)?.model ?? null;

const faultWords = (fault: string): string => (fault === 'error' ? 'did not answer' : `gave a result that is ${fault}`);

type Attempt =
  | { fault: null; answer: CompleteAnswer }
  | { fault: Fault | 'error'; text: string | null; said: boolean; error?: unknown };

async function attemptTask(turn: Turn, run: TaskRun, model: string, attempt: number): Promise<Attempt> {
  const gate = run.say && newGate(run.say, run.wantsJson ? 'whole' : attempt === maxAttempts ? 'none' : 'beginning');
  const streams = gate !== null && turn.writer.streaming;
  const { messages, params, tools, signal } = run;
  try {
    const answer = await ask(turn, {
      model,
      messages: run.paused ? resumedMessages(run.paused) : messages,
      params,
      ...(tools.length > 0 && { tools }),
      signal,
      stream: streams,
      ...(streams && { onDelta: (text: string) => gate.push(text) }),
    });
    const hasToolCalls = (answer.message.tool_calls ?? []).length > 0;
    const raw = textOf(answer.message);
    const text = run.wantsJson && !hasToolCalls ? (strictJson(raw) ?? raw) : raw;
    const fault = findFault({ text, finishReason: answer.finishReason, hasToolCalls, ...run });
    if (fault) return { fault, text: text.trim() === '' ? null : text, said: streams && gate.passed && text !== '' };
    if (streams) gate.open(text);
    else run.say?.(text);
    return {
      fault: null,
      answer: text === raw ? answer : { ...answer, message: { ...answer.message, content: text } },
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError && final.has(error.code)) throw error;
    // The client has read half an answer: another model cannot go on with it.
    if (streams && gate.passed && turn.writer.content !== '') throw error;
    return { fault: 'error', text: null, said: false, error };
  }
}

const resumedMessages = ({ task, results }: NonNullable<TaskRun['paused']>): ChatMessage[] => [
  ...task.messages,
  task.call,
  ...results,
];

function finished(
  run: TaskRun,
  { message, finishReason }: CompleteAnswer,
  at: { model: string; difficulty: Difficulty; attempt: number },
): TaskResult {
  if (!message.tool_calls?.length) return { status: 'completed', text: textOf(message), model: at.model, finishReason };
  // Vendors count calls from one in every answer; the plan is found again by these ids alone.
  const calls = message.tool_calls.map((call) => ({ ...call, id: `call_${randomString(24)}` }));
  const call: ChatMessage = { role: 'assistant', content: message.content, tool_calls: calls };
  const messages = run.paused ? resumedMessages(run.paused) : run.messages;
  return { status: 'waiting_for_tools', paused: { ...at, messages, call } };
}
