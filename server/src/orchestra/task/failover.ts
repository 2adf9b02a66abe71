import { AppError } from '../../lib/errors.ts';
import { type Choice, type Choosing, without } from '../models.ts';
import { callFault } from './call-fault.ts';
import { type Checked, type Fault, findFault } from './checks.ts';

/** One model is asked instead of another. */
export interface Failover {
  from: string;
  to: string;
  /** The error code, the fault of the answer, or `circuit_open` if the first model was not asked at all. */
  why: string;
}

/** Maximum models asked for one answer: enough to survive an outage of two vendors, and it bounds the waiting time. */
export const mostModels = 4;

export function failureReason(error: unknown): string {
  if (error instanceof UnfitAnswer) return error.fault;
  return error instanceof AppError ? error.code : 'internal_error';
}

/** An unusable answer is treated like a missing one, so that another model is asked. */
export class UnfitAnswer extends AppError {
  constructor(readonly fault: Fault) {
    super('provider_error', `The answer cannot be used: ${fault.replaceAll('_', ' ')}`);
  }
}

/** For answers that do not belong to a task: throws if a fault is found. */
export function requireFit(answer: Omit<Checked, 'hasToolCalls'>): void {
  const fault = findFault({ ...answer, hasToolCalls: false });
  if (fault) throw new UnfitAnswer(fault);
}

/** The failover of a model chosen because another one's circuits are open. */
export const circuitFailover = ({ model, insteadOf }: Choice): Failover | undefined =>
  insteadOf === undefined ? undefined : { from: insteadOf, to: model, why: 'circuit_open' };

export interface Asking<T> {
  choose(choosing: Choosing): Choice | null;
  ask(model: string, failover: Failover | undefined, place: number): Promise<T>;
  /** Called before the other model is asked. */
  failedOver(failover: Failover): void;
  /** Whether another model may do better; by default, if this one did not answer. */
  helps?(error: unknown): boolean;
}

const unanswered = (error: unknown): boolean => callFault(error) === 'unanswered';

/** Asks the chosen model, then the next best ones until one answers. Null if there is no model at all. */
export async function tryModels<T>(choosing: Choosing, asking: Asking<T>): Promise<T | null> {
  const { choose, ask, failedOver, helps = unanswered } = asking;
  const tried: string[] = [];
  let choice = choose(choosing);
  let failover = choice ? circuitFailover(choice) : undefined;
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
      failover = { from: model, to: choice.model, why: failureReason(error) };
    }
  }
  return null;
}
