import { isTransient } from '../../platform/durable/errors.ts';
import { retryUntilWritten } from '../../platform/durable/lease.ts';
import { chooseEmbeddingModel } from '../models.ts';
import type { Caller, Deps } from '../ports.ts';
import { loadDocuments } from '../store/documents.ts';
import { claimUnembedded, releaseUnembedded } from '../store/unembedded.ts';
import { bytesOfVectors, saveVectors } from '../store/vectors.ts';
import { kindOf } from '../triage.ts';
import { outsideTurn } from './outside.ts';
import { forgetVectors, keptVectors, nameOfCall, savePaid } from './paid-vectors.ts';
import { longestEmbedded } from './recall.ts';
import type { Turn } from './turn.ts';

type Embedding = Pick<Turn, 'deps' | 'caller' | 'choosing' | 'signal' | 'meter'>;

/** Texts embedded per turn at most: this turn's, and some whose embedding failed before. */
const embedBatch = 32;
/** Between two tries to write vectors that are paid for, and how long it is tried: a restart of the server is over by then. */
const writeAgainMs = 500;
const writeWithinMs = 60_000;

/**
 * After a turn, and after an entry is made or changed: embeds what has no vector and is not being embedded elsewhere.
 * Answers how many texts it took.
 */
export async function embedNew(turn: Embedding): Promise<number> {
  const { deps, caller } = turn;
  const { db, owners } = deps;
  if (!hasModel(turn)) return 0;
  const owner = owners.id;
  const ids = await claimUnembedded(db, owner, caller.userId, embedBatch);
  if (ids.length === 0) return 0;
  const release = () => releaseUnembedded(db, owner, ids);
  try {
    await embedClaimed(turn, ids);
    return ids.length;
  } finally {
    await release().catch((error) => {
      deps.warn('texts that are not embedded could not be given back', error);
      void retryUntilWritten(owners, release, () => {});
    });
  }
}

/** A single embedding call may take so long. */
const callMs = 60_000;

/**
 * The same until nothing is left, for what brings many texts at once. As many rounds as they need, since what a model gives no
 * vector for would be taken again and again.
 */
export async function embedMany(deps: Deps, caller: Caller, texts: number, signal: AbortSignal): Promise<void> {
  for (let rounds = Math.ceil(texts / embedBatch) + 1; rounds > 0; rounds -= 1) {
    const within = AbortSignal.any([signal, AbortSignal.timeout(callMs)]);
    if ((await embedNew(await outsideTurn(deps, caller, within))) === 0) return;
  }
}

/** Nothing is taken that could not be embedded anyway. */
const hasModel = ({ choosing }: Embedding): boolean =>
  chooseEmbeddingModel(choosing, 'question') !== null || chooseEmbeddingModel(choosing, 'code') !== null;

async function embedClaimed({ deps, caller, choosing, signal, meter }: Embedding, ids: number[]): Promise<void> {
  const { userId } = caller;
  const left = await savePaid(deps.db, userId, ids);
  const documents = await loadDocuments(deps.db, { userId }, left, null);
  const byModel = Map.groupBy(documents, ({ text }) => chooseEmbeddingModel(choosing, kindOf(text))?.model ?? null);
  for (const [model, group] of byModel) {
    if (model === null) continue;
    // The text alone: what was said around it lends its meaning when it is searched, and would else pass for the text itself.
    const texts = group.map(({ text }) => text.trim().slice(0, longestEmbedded));
    const named = (vectors: number[][]) =>
      group.flatMap(({ documentId }, i) => (vectors[i] ? [{ documentId, vector: vectors[i] }] : []));
    const keepAs = nameOfCall(
      userId,
      model,
      group.map(({ documentId }) => documentId),
    );
    const { vectors, usage, cost } = await deps.embed({
      ...{ ...caller, model, texts, signal, keepAs },
      bodyOf: (answer) => keptVectors(model, named(answer.vectors)),
    });
    meter.note(model, usage, cost);
    const pairs = named(vectors);
    await written(() => saveVectors(deps.db, userId, model, pairs, forgetVectors(keepAs)));
    deps.keeping.add(userId, bytesOfVectors(pairs));
  }
}

/** They are paid for: a database that is away, or broke off a race, is asked again. */
async function written(write: () => Promise<void>): Promise<void> {
  for (const deadline = performance.now() + writeWithinMs; ; await Bun.sleep(writeAgainMs)) {
    try {
      await write();
      return;
    } catch (error) {
      if (!isTransient(error) || performance.now() > deadline) throw error;
    }
  }
}
