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

/** Journal key of the step that a call serves, and which of its calls it is. */
export interface Served {
  step: string;
  call: string;
}

/**
 * A call that is made and paid once, whoever works on the run: its answer is kept with its charge until the step it serves is
 * in the journal. What a process before this one has paid for and did not live to write down is taken as it is.
 */
export async function askOnce<T extends Answer>(
  { deps, holding, executionId, journal }: Asking,
  { step, call }: Served,
  ask: (keepAs: CallName) => Promise<T>,
): Promise<{ answer: T; name: CallName; paidBefore: boolean }> {
  const name = { work: executionId, call: `${step}:${call}` };
  // Of the first process that has the run, nobody has left anything.
  const kept = holding.epoch > 1 ? await findKept(deps.db, name) : null;
  const answer = kept === null ? await ask(name) : (JSON.parse(kept) as T);
  if (answer.cost) journal.keeps(step, name.call);
  return { answer, name, paidBefore: kept !== null };
}

/** Embeddings and rankings that a step needs on its way, in their order. */
export function asidesOf(work: Asking, step: string): Pick<Deps, 'embed' | 'rerank'> {
  let asked = 0;
  const once = async <T extends Answer>(model: string, ask: (keepAs: CallName) => Promise<T>): Promise<T> => {
    asked += 1;
    // Vectors of another model would be of no use.
    return (await askOnce(work, { step, call: `aside-${asked}:${model}` }, ask)).answer;
  };
  const { deps } = work;
  return {
    embed: (request) => once(request.model, (keepAs) => deps.embed({ ...request, keepAs })),
    rerank: (request) => once(request.model, (keepAs) => deps.rerank({ ...request, keepAs })),
  };
}
