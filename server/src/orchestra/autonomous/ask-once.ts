import { findKept } from '../../billing/store/kept-answers.ts';
import type { CallName } from '../../billing/types.ts';
import type { Deps } from '../ports.ts';
import type { Journal } from './journal.ts';
import type { Holding } from './store/commit.ts';

interface Asking {
  deps: Deps;
  holding: Holding;
  executionId: string;
  journal: Journal;
}

interface Answer {
  cost?: number;
}

/** The journal key of the step that a call serves, and the call's name within the step. */
export interface CallKey {
  step: string;
  call: string;
}

/**
 * Makes and pays for a call only once, even if several processes work on the run in turn: the answer is stored with its
 * charge until the step it serves is in the journal. If an earlier process paid for the call but died before recording
 * the step, its answer is reused.
 */
export async function askOnce<T extends Answer>(
  { deps, holding, executionId, journal }: Asking,
  { step, call }: CallKey,
  ask: (keepAs: CallName) => Promise<T>,
): Promise<{ answer: T; name: CallName; paidBefore: boolean }> {
  const name = { work: executionId, call: `${step}:${call}` };
  // The first process to hold the run cannot find answers of an earlier one.
  const kept = holding.epoch > 1 ? await findKept(deps.db, name) : null;
  const answer = kept === null ? await ask(name) : (JSON.parse(kept) as T);
  if (answer.cost) journal.keeps(step, name.call);
  return { answer, name, paidBefore: kept !== null };
}

/** Embedding and rerank calls made within a step, numbered in order. */
export function stepSearchCalls(work: Asking, step: string): Pick<Deps, 'embed' | 'rerank'> {
  let asked = 0;
  const once = async <T extends Answer>(model: string, ask: (keepAs: CallName) => Promise<T>): Promise<T> => {
    asked += 1;
    // The model is part of the name, because vectors of another model cannot be used.
    return (await askOnce(work, { step, call: `aside-${asked}:${model}` }, ask)).answer;
  };
  const { deps } = work;
  return {
    embed: (request) => once(request.model, (keepAs) => deps.embed({ ...request, keepAs })),
    rerank: (request) => once(request.model, (keepAs) => deps.rerank({ ...request, keepAs })),
  };
}
