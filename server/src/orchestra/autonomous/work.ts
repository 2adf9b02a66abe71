import { nowSeconds } from '../../lib/clock.ts';
import { costOf } from '../../lib/money.ts';
import type { ChatMessage } from '../messages.ts';
import { type Choosing, choosePlanModel, pickTiers } from '../models.ts';
import type { Caller, CallParams, CompleteAnswer, Deps } from '../ports.ts';
import type { Preferences } from '../preferences.ts';
import type { Outcome } from '../store/patterns.ts';
import type { CountText } from '../tokens.ts';
import type { RunConfig } from './config.ts';
import { faultOf, Pause } from './halt.ts';
import type { Journal } from './journal.ts';
import type { RunState } from './state.ts';
import type { Holding } from './store/commit.ts';

/** Everything one run carries from step to step. */
export interface Work {
  deps: Deps;
  caller: Caller;
  executionId: string;
  holding: Holding;
  turn: number;
  goal: string;
  config: RunConfig;
  state: RunState;
  preferences: Preferences;
  choosing: Choosing;
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
  model: string;
  messages: ChatMessage[];
  params?: CallParams;
  onDelta?(text: string): void;
  signal?: AbortSignal;
}

/**
 * One model call. Its request id is made of run, step and epoch: the same call is never held twice, and the hold that a
 * dead process left is not taken for ours.
 */
export async function ask(work: Work, question: Question): Promise<CompleteAnswer> {
  const { step, call = 1, model, messages, params = {}, onDelta, signal = work.signal } = question;
  signal.throwIfAborted();
  const answer = await work.deps.complete({
    ...work.caller,
    model,
    messages,
    params,
    stream: onDelta !== undefined,
    ...(onDelta && { onDelta }),
    signal,
    requestId: `${work.executionId}:${step}:${call}:${work.holding.epoch}`,
  });
  signal.throwIfAborted();
  const { promptTokens, completionTokens } = answer.usage;
  work.state.tokens += promptTokens + completionTokens;
  work.state.cost += costIn(work, model, answer);
  return answer;
}

/** At the model's listed price; the ledger holds the exact sum. */
function costIn({ choosing }: Work, model: string, { usage }: CompleteAnswer): number {
  const info = choosing.models.find(({ id }) => id === model);
  if (!info) return 0;
  return costOf({ promptPrice: info.promptPrice, completionPrice: info.completionPrice, requestPrice: 0 }, usage);
}

/**
 * Asks the plan model, then others when it does not answer: what steers a run must not hang on one model.
 * Pauses when none answers.
 */
export async function askAny(work: Work, question: Omit<Question, 'model'>): Promise<CompleteAnswer> {
  for (const [i, model] of steering(work.choosing).entries()) {
    try {
      return await ask(work, { ...question, model, call: (question.call ?? 1) * 10 + i });
    } catch (error) {
      (question.signal ?? work.signal).throwIfAborted();
      const fault = faultOf(error);
      if (fault === 'quota') throw new Pause('insufficient_quota');
      if (fault === 'database' || fault === 'internal') throw error;
    }
  }
  throw new Pause('provider_unavailable');
}

function steering(choosing: Choosing): string[] {
  const tiers = pickTiers(choosing.models);
  const models = [choosePlanModel(choosing)?.model, tiers?.hard, tiers?.easy];
  return [...new Set(models.filter((model) => model !== undefined))];
}

/** Asks a model for JSON of this shape. */
export const jsonParams = (name: string, schema: object): CallParams => ({
  response_format: { type: 'json_schema', json_schema: { name, schema } },
});
