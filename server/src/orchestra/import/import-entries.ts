import { nowSeconds } from '../../lib/clock.ts';
import { withLock } from '../../platform/db/with-lock.ts';
import type { Fact } from '../knowledge-facts.ts';
import type { Deps } from '../ports.ts';
import { addEntry, bytesOfEntry, type Entry, identicalEntry } from '../store/knowledge.ts';
import { writeEntry } from '../turn/after-answer.ts';
import { yieldToEventLoop } from '../work-slices.ts';

export type NewFact = Fact & { projectId: string | null };

export interface Kept {
  entry: Entry;
  /** False if the entry already existed. */
  added: boolean;
}

/** Adds an entry unless the user has an identical one; concurrent identical requests add only one. */
export async function keepEntry({ db, clock, storage }: Deps, userId: number, fact: NewFact): Promise<Kept> {
  await yieldToEventLoop();
  const known = await identicalEntry(db, userId, fact, fact.projectId);
  if (known) return { entry: known, added: false };
  await storage.take(userId, bytesOfEntry(fact));
  return db.transaction().execute(async (tx) => {
    await withLock(tx, 'knowledge', userId);
    const meanwhile = await identicalEntry(tx, userId, fact, fact.projectId);
    if (meanwhile) return { entry: meanwhile, added: false };
    const entry = await writeEntry(tx, userId, (same) => addEntry(same, { ...fact, userId }, nowSeconds(clock)));
    return { entry, added: true };
  });
}
