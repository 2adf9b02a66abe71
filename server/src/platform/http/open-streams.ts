import { AppError } from '../../lib/errors.ts';
import { memoryBudgetKey } from './memory-budget.ts';
import type { Call } from './route.ts';

/**
 * Limits how many streams a user has open in this process, if they last as long as work in the background: one account
 * could otherwise hold any number of connections.
 */
export class OpenStreams {
  readonly #open = new Map<string, number>();

  constructor(readonly most: number) {}

  /** Counts a stream until the returned function is called; throws if there are too many. */
  begin(call: Pick<Call, 'principal' | 'ip'>): () => void {
    const caller = memoryBudgetKey(call);
    const before = this.#open.get(caller) ?? 0;
    if (before >= this.most)
      throw new AppError('capacity_exhausted', `You have ${this.most} open streams. Close some first.`);
    this.#open.set(caller, before + 1);
    return () => {
      const left = this.#open.get(caller)! - 1;
      if (left > 0) this.#open.set(caller, left);
      else this.#open.delete(caller);
    };
  }
}
