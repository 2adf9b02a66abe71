import type { CallName } from '../../billing/types.ts';
import { nowSeconds } from '../../lib/clock.ts';
import { costOf, quotaPerUsd } from '../../lib/money.ts';
import { askShaped, type Shape } from '../ask-shaped.ts';
import { modelOf, sendFitted } from '../fit-window.ts';
import { type ChatMessage, textOf } from '../messages.ts';
import { type Choice, type Choosing, choosePlanModel } from '../models.ts';
import type { CallParams, Charged, CompleteAnswer } from '../ports.ts';
import type { Outcome } from '../store/patterns.ts';
import { type Failover, requireFit, tryModels, UnfitAnswer } from '../task/failover.ts';
import type { CountText } from '../tokens.ts';
import { askOnce } from './ask-once.ts';
import type { RunConfig } from './config.ts';
import { isRefused, mayRetry, Pause, pauseFor } from './halt.ts';
import type { Journal } from './journal.ts';
import { type RunAccess, recheckAccess } from './recheck-access.ts';
import type { RunState } from './state.ts';
import type { Holding } from './store/commit.ts';

/** Everything that the steps of a run share. */
export interface Work extends RunAccess {
  executionId: string;
  holding: Holding;
  turn: number;
  goal: string;
  config: RunConfig;
  /** The caller's own tools, in the format sent to models. */
  tools: unknown[];
  state: RunState;
  journal: Journal;
  signal: AbortSignal;
  count: CountText;
  /** Journal texts used in prompts, by key. */
  texts: Map<string, string>;
  /** Memory, and the conversation before the goal. */
  context: ChatMessage[];
  outcomes: Outcome[];
  elapsedMs(): number;
}

export const now = (work: Pick<Work, 'deps'>): number => nowSeconds(work.deps.clock);

/** Keys are unique within the run. Each resume starts a new set, because it may go back before steps already taken. */
export const stepKey = (work: Pick<Work, 'turn'>, name: string): string => `${work.turn}.${name}`;

export interface Question {
  /** Journal key of the step that the call serves, and the call's number within the step. */
  step: string;
  call?: number;
  /** Calls to several models of which only one is answered share a number, so that its answer is found again. */
  question?: number;
  model: string;
  messages: ChatMessage[];
  params?: CallParams;
  tools?: unknown[];
  onDelta?(text: string): void;
  signal?: AbortSignal;
  insteadOf?: string | undefined;
}

/** Makes a model call, or reuses the answer that an earlier process already paid for. */
export async function askModel(work: Work, asking: Question): Promise<CompleteAnswer> {
  const { step, call = 1, question = call, model, onDelta, signal = work.signal } = asking;
  signal.throwIfAborted();
  const served = { step, call: `${question}` };
  const { answer, name, paidBefore } = await askOnce(work, served, (keepAs) => callModel(work, asking, keepAs));
  count(work, name, model, answer);
  signal.throwIfAborted();
  if (paidBefore) onDelta?.(textOf(answer.message));
  return answer;
}

/** Counts a call once: the state may be written before its step, and another process may then reuse the answer. */
function count(work: Work, { call }: CallName, model: string, answer: CompleteAnswer): void {
  const { state } = work;
  const { counted = [] } = state;
  if (counted.includes(call)) return;
  spend(work, model, answer);
  if (answer.cost) state.counted = [...counted, call];
}

function spend(work: Work, model: string, charged: Charged): void {
  const { promptTokens, completionTokens } = charged.usage;
  work.state.tokens += promptTokens + completionTokens;
  work.state.cost += charged.cost ?? costIn(work, model, charged);
}

/**
 * The request id contains run, step and epoch, so that the same call is never reserved twice, and a hold left by a dead
 * process is not mistaken for ours.
 */
async function callModel(work: Work, asking: Question, keepAs: CallName): Promise<CompleteAnswer> {
  const { step, call = 1, model, messages, params = {}, tools = [] } = asking;
  const { onDelta, signal = work.signal, insteadOf } = asking;
  pauseAtMaxCost(work);
  await recheckAccess(work);
  const asked = {
    ...work.caller,
    model,
    messages,
    params,
    ...(tools.length > 0 && { tools }),
    stream: onDelta !== undefined,
    ...(onDelta && { onDelta }),
    onBroken: (charged: Charged) => spend(work, model, charged),
    ...(insteadOf !== undefined && { insteadOf }),
    signal,
    keepAs,
    requestId: `${work.executionId}:${step}:${call}:${work.holding.epoch}`,
  };
  const send = (fitted: typeof asked, refusals: number) =>
    work.deps.complete({ ...fitted, ...(refusals > 0 && { requestId: `${asked.requestId}:${refusals}` }) });
  return sendFitted(modelOf(work.choosing, model), asked, send).catch((error) => {
    signal.throwIfAborted();
    throw mayRetry(error) ? error : pauseFor(error);
  });
}

/**
 * Pauses once `max_cost` is reached. Calls in progress finish and are paid for, so with parallel tasks a run may exceed
 * the limit by a few calls.
 */
export function pauseAtMaxCost({ config: { max_cost }, state }: Pick<Work, 'config' | 'state'>): void {
  if (typeof max_cost === 'number' && state.cost >= max_cost * quotaPerUsd) throw new Pause('max_cost');
}

/** The cost at the model's listed price, for answers without a charge. */
function costIn({ choosing }: Work, model: string, { usage }: Charged): number {
  const info = choosing.models.find(({ id }) => id === model);
  if (!info) return 0;
  return costOf({ promptPrice: info.promptPrice, completionPrice: info.completionPrice, requestPrice: 0 }, usage);
}

/** Asks for JSON of a given shape, in up to two calls, numbered from the question's own number. */
export const askJson = (work: Work, question: Question, shape: Shape): Promise<string> => {
  let { call = 1 } = question;
  return askShaped((params) => askModel(work, { ...question, params, call: call++ }), shape);
};

/** A question that any model may answer. */
export interface OpenQuestion extends Omit<Question, 'model' | 'insteadOf' | 'question'> {
  /** Chooses the first model to ask; the plan model if absent. */
  choose?(choosing: Choosing): Choice | null;
  shape?: Shape;
  /** Throws if the answer is unusable, so that another model is asked. */
  requireFit?(answer: CompleteAnswer): void;
}

/** For a text that takes the place of others. */
export const requireText = ({ message, finishReason }: CompleteAnswer): void =>
  requireFit({ text: textOf(message), finishReason, wantsJson: false, limited: false });

/** Larger than the number of questions in any step. */
const apart = 1000;

/**
 * Asks one model, then the next best ones until one answers: planning and judging must not depend on a single model.
 * Pauses if none answers; if all of them refuse the request, throws what the last one said.
 */
export async function askAny(work: Work, question: OpenQuestion): Promise<string> {
  const { choose = choosePlanModel, shape, requireFit, ...rest } = question;
  const signal = rest.signal ?? work.signal;
  let unfit = 0;
  let refused = true;
  const ask = async (model: string, failover: Failover | undefined, place: number) => {
    const { call = 1 } = rest;
    // An unusable answer is paid for and stored too, so the next call needs a new question number.
    const question = call + apart * unfit;
    const asked = { ...rest, model, question, call: call * 10 + 2 * place, insteadOf: failover?.from };
    if (shape) return askJson(work, asked, shape);
    const answer = await askModel(work, asked);
    unfit += 1;
    requireFit?.(answer);
    return textOf(answer.message);
  };
  try {
    const helps = (error: unknown) => {
      refused &&= isRefused(error);
      return !signal.aborted && mayRetry(error);
    };
    const told = await tryModels(work.choosing, { choose, ask, helps, failedOver: (one) => failedOver(work, one) });
    if (told !== null) return told;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UnfitAnswer || !mayRetry(error) || refused) throw error;
  }
  throw new Pause('provider_unavailable');
}

export const failedOver = ({ journal }: Work, failover: Failover, task_id?: string): void =>
  journal.tell('model_failover', { ...failover, ...(task_id !== undefined && { task_id }) });
