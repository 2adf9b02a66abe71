import type { CallName } from '../../billing/types.ts';
import { nowSeconds } from '../../lib/clock.ts';
import { costOf, quotaPerUsd } from '../../lib/money.ts';
import { askShaped, type Shape } from '../ask-shaped.ts';
import { modelOf, sendFitted } from '../fit.ts';
import { type ChatMessage, textOf } from '../messages.ts';
import { type Choice, type Choosing, choosePlanModel } from '../models.ts';
import type { CallParams, Charged, CompleteAnswer } from '../ports.ts';
import type { Outcome } from '../store/patterns.ts';
import { type Failover, tryModels, UnfitAnswer } from '../task/failover.ts';
import type { CountText } from '../tokens.ts';
import type { RunConfig } from './config.ts';
import { mayRetry, Pause, pauseFor } from './halt.ts';
import type { Journal } from './journal.ts';
import { lookAgain, type Standing } from './look-again.ts';
import { askOnce } from './paid.ts';
import type { RunState } from './state.ts';
import type { Holding } from './store/commit.ts';

/** Everything one run carries from step to step. */
export interface Work extends Standing {
  executionId: string;
  holding: Holding;
  turn: number;
  goal: string;
  config: RunConfig;
  /** The caller's own, as models are told of them. */
  tools: unknown[];
  state: RunState;
  journal: Journal;
  signal: AbortSignal;
  count: CountText;
  /** Results of the journal that prompts are made of, by key. */
  texts: Map<string, string>;
  /** Memory and conversation before the goal. */
  context: ChatMessage[];
  outcomes: Outcome[];
  elapsedMs(): number;
}

export const now = (work: Pick<Work, 'deps'>): number => nowSeconds(work.deps.clock);

/** Keys are unique within the run; a resume begins a new set, since it may go back behind steps already taken. */
export const stepKey = (work: Pick<Work, 'turn'>, name: string): string => `${work.turn}.${name}`;

export interface Question {
  /** Journal key of the step it serves, and which of its calls it is. */
  step: string;
  call?: number;
  /** Calls of which only one is answered are one question, whichever model it was that answered. */
  question?: number;
  model: string;
  messages: ChatMessage[];
  params?: CallParams;
  tools?: unknown[];
  onDelta?(text: string): void;
  signal?: AbortSignal;
  insteadOf?: string | undefined;
}

/** One model call, or what a process before this one got of it and has paid for. */
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

/** Once, though the state may be written before the step that the call serves, and the call be taken over after that. */
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
 * Its request id is made of run, step and epoch: the same call is never held twice, and the hold that a dead process left is
 * not taken for ours.
 */
async function callModel(work: Work, asking: Question, keepAs: CallName): Promise<CompleteAnswer> {
  const { step, call = 1, model, messages, params = {}, tools = [] } = asking;
  const { onDelta, signal = work.signal, insteadOf } = asking;
  refuseDearer(work);
  await lookAgain(work);
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

/** Calls that run are let finish and paid: with tasks at once a run may end a few calls above what was allowed. */
export function refuseDearer({ config: { max_cost }, state }: Pick<Work, 'config' | 'state'>): void {
  if (typeof max_cost === 'number' && state.cost >= max_cost * quotaPerUsd) throw new Pause('max_cost');
}

/** Where the charge is not told, at the model's listed price. */
function costIn({ choosing }: Work, model: string, { usage }: Charged): number {
  const info = choosing.models.find(({ id }) => id === model);
  if (!info) return 0;
  return costOf({ promptPrice: info.promptPrice, completionPrice: info.completionPrice, requestPrice: 0 }, usage);
}

/** Asks for JSON of a shape. Up to two calls, numbered from the question's own. */
export const askJson = (work: Work, question: Question, shape: Shape): Promise<string> => {
  let { call = 1 } = question;
  return askShaped((params) => askModel(work, { ...question, params, call: call++ }), shape);
};

/** A question to whichever model answers. */
export interface OpenQuestion extends Omit<Question, 'model' | 'insteadOf' | 'question'> {
  /** Who is asked first; else the plan model. */
  choose?(choosing: Choosing): Choice | null;
  shape?: Shape;
  /** Throws where an answer cannot be used: then another model is asked. */
  requireFit?(answer: CompleteAnswer): void;
}

/** More than the questions that a step asks. */
const apart = 1000;

/**
 * Asks one model, then the next best ones while none answers: what steers a run must not hang on one model.
 * Pauses when none answers.
 */
export async function askAny(work: Work, question: OpenQuestion): Promise<string> {
  const { choose = choosePlanModel, shape, requireFit, ...rest } = question;
  const signal = rest.signal ?? work.signal;
  let unfit = 0;
  const ask = async (model: string, failover: Failover | undefined, place: number) => {
    const { call = 1 } = rest;
    // One that was answered, if badly, is paid and kept: what is asked then is another.
    const question = call + apart * unfit;
    const asked = { ...rest, model, question, call: call * 10 + 2 * place, insteadOf: failover?.from };
    if (shape) return askJson(work, asked, shape);
    const answer = await askModel(work, asked);
    unfit += 1;
    requireFit?.(answer);
    return textOf(answer.message);
  };
  try {
    const helps = (error: unknown) => !signal.aborted && mayRetry(error);
    const told = await tryModels(work.choosing, { choose, ask, helps, failedOver: (one) => failedOver(work, one) });
    if (told !== null) return told;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UnfitAnswer || !mayRetry(error)) throw error;
  }
  throw new Pause('provider_unavailable');
}

export const failedOver = ({ journal }: Work, failover: Failover, task_id?: string): void =>
  journal.tell('model_failover', { ...failover, ...(task_id !== undefined && { task_id }) });
