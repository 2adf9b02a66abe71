import { AppError } from '../../lib/errors.ts';
import { type Choice, type Choosing, without } from '../models.ts';
import { callFault } from './call-fault.ts';
import { type Checked, type Fault, findFault } from './checks.ts';

/** One model asked in place of another. */
export interface Failover {
  from: string;
  to: string;
  /** Code of the error, what was wrong with the answer, or `circuit_open` when the first was not asked at all. */
  why: string;
}

/** Models asked for one answer at most: past an outage of two vendors, and nobody waits for ever. */
export const mostModels = 4;

export function whyOf(error: unknown): string {
  if (error instanceof UnfitAnswer) return error.fault;
  return error instanceof AppError ? error.code : 'internal_error';
}

/** An answer that nobody can use: as good as none, so that another model is asked. */
export class UnfitAnswer extends AppError {
  constructor(readonly fault: Fault) {
    super('provider_error', `The answer cannot be used: ${fault.replaceAll('_', ' ')}`);
  }
}

/** For answers that are no task's: throws where a fault shows. */
export function requireFit(answer: Omit<Checked, 'hasToolCalls'>): void {
  const fault = findFault({ ...answer, hasToolCalls: false });
  if (fault) throw new UnfitAnswer(fault);
}

/** What was chosen because the circuits of another are open. */
export const passedOver = ({ model, insteadOf }: Choice): Failover | undefined =>
  insteadOf === undefined ? undefined : { from: insteadOf, to: model, why: 'circuit_open' };

export interface Asking<T> {
  choose(choosing: Choosing): Choice | null;
  ask(model: string, failover: Failover | undefined, place: number): Promise<T>;
  /** Told before the other model is asked. */
  failedOver(failover: Failover): void;
  /** Whether another model may do better; when nothing is said, where this one did not answer. */
  helps?(error: unknown): boolean;
}

const unanswered = (error: unknown): boolean => callFault(error) === 'unanswered';

/** Asks the model that is chosen, then the next best ones while none answers. Null when there is no model at all. */
export async function tryModels<T>(choosing: Choosing, asking: Asking<T>): Promise<T | null> {
  const { choose, ask, failedOver, helps = unanswered } = asking;
  const tried: string[] = [];
  let choice = choose(choosing);
  let failover = choice ? passedOver(choice) : undefined;
  while (choice) {
    const { model, source } = choice;
    if (failover) failedOver(failover);
    try {
      return await ask(model, failover, tried.length);
    } catch (error) {
      tried.push(model);
      choice =
        helps(error) && source !== 'forced' && tried.length < mostModels ? choose(without(choosing, tried)) : null;
      if (!choice) throw error;
      failover = { from: model, to: choice.model, why: whyOf(error) };
    }
  }
  return null;
}
