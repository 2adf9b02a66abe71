import { isTransient } from '../../platform/durable/errors.ts';
import { retryUntilWritten } from '../../platform/durable/lease.ts';
import { chooseEmbeddingModel } from '../models.ts';
import type { Caller, Deps } from '../ports.ts';
import { loadDocuments } from '../store/documents.ts';
import { claimUnembedded, dismissUnembedded, releaseUnembedded } from '../store/unembedded.ts';
import { bytesOfVectors, saveVectors } from '../store/vectors.ts';
import { kindOf } from '../triage.ts';
import { embeddable, halved, isRefused } from './embeddable.ts';
import { contextOutsideTurn } from './outside-turn.ts';
import { forgetVectors, keptVectors, nameOfCall, savePaid } from './paid-vectors.ts';
import type { Turn } from './turn.ts';

type Embedding = Pick<Turn, 'deps' | 'caller' | 'choosing' | 'signal' | 'meter'>;

/** The most texts embedded per turn: those of this turn, and some whose embedding failed before. */
const embedBatch = 32;
/**
 * Retry interval and deadline for storing vectors that are already paid; long enough for a restart of the database
 * server.
 */
const writeAgainMs = 500;
const writeWithinMs = 60_000;

/**
 * Embeds texts that have no vector and are not being embedded elsewhere; called after a turn, and after an entry is
 * added or changed. Returns how many texts were claimed.
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
      deps.warn('texts that were not embedded could not be released', error);
      void retryUntilWritten(owners, release, () => {});
    });
  }
}

/** Timeout of one embedding round. */
const callMs = 60_000;

/**
 * Repeats it until nothing is left, for imports of many texts. The rounds are limited, because texts for which a model
 * returns no vector would be claimed again and again.
 */
export async function embedMany(deps: Deps, caller: Caller, texts: number, signal: AbortSignal): Promise<void> {
  for (let rounds = Math.ceil(texts / embedBatch) + 1; rounds > 0; rounds -= 1) {
    const within = AbortSignal.any([signal, AbortSignal.timeout(callMs)]);
    if ((await embedNew(await contextOutsideTurn(deps, caller, within))) === 0) return;
  }
}

/** Without an embedding model, claim nothing. */
const hasModel = ({ choosing }: Embedding): boolean =>
  chooseEmbeddingModel(choosing, 'question') !== null || chooseEmbeddingModel(choosing, 'code') !== null;

async function embedClaimed(turn: Embedding, ids: number[]): Promise<void> {
  const { deps, caller, choosing } = turn;
  const { userId } = caller;
  const left = await savePaid(deps.db, userId, ids);
  const documents = await loadDocuments(deps.db, { userId }, left, null);
  const byModel = Map.groupBy(documents, ({ text }) => chooseEmbeddingModel(choosing, kindOf(text))?.model ?? null);
  for (const [model, group] of byModel) {
    if (model === null) continue;
    // Embeds the text without its surroundings: they are weighed in at search time, and would otherwise pass for the
    // text itself.
    const texts = group.map(({ documentId, text }) => ({ documentId, text: embeddable(choosing, model, text) }));
    const taken: Taken = { any: false, refused: [] };
    await embedTexts(turn, model, texts, taken);
    // The model may refuse everything, which says nothing about the texts.
    if (!taken.any && taken.error) throw taken.error;
    // It takes others, so these it will never take; words find them.
    await dismissUnembedded(deps.db, deps.owners.id, taken.refused);
  }
}

interface ToEmbed {
  documentId: number;
  text: string;
}

/** Whether the model has taken any text, and those that it refuses by themselves. */
interface Taken {
  any: boolean;
  refused: number[];
  error?: unknown;
}

/** One text that a model refuses would keep all that are sent with it from being embedded, in every turn. */
async function embedTexts(turn: Embedding, model: string, texts: ToEmbed[], taken: Taken): Promise<void> {
  try {
    await embedTogether(turn, model, texts);
    taken.any = true;
  } catch (error) {
    if (!isRefused(error)) throw error;
    const [first] = texts;
    if (texts.length > 1) {
      const half = Math.ceil(texts.length / 2);
      await embedTexts(turn, model, texts.slice(0, half), taken);
      await embedTexts(turn, model, texts.slice(half), taken);
      return;
    }
    const shorter = halved(first!.text);
    if (shorter !== null) return embedTexts(turn, model, [{ ...first!, text: shorter }], taken);
    taken.refused.push(first!.documentId);
    taken.error = error;
    // Not asked about each of them.
    if (!taken.any && taken.refused.length > 1) throw error;
  }
}

async function embedTogether(
  { deps, caller, signal, meter }: Embedding,
  model: string,
  sent: ToEmbed[],
): Promise<void> {
  const { userId } = caller;
  const texts = sent.map(({ text }) => text);
  const named = (vectors: number[][]) =>
    sent.flatMap(({ documentId }, i) => (vectors[i] ? [{ documentId, vector: vectors[i] }] : []));
  const keepAs = nameOfCall(
    userId,
    model,
    sent.map(({ documentId }) => documentId),
  );
  const { vectors, usage, cost } = await deps.embed({
    ...{ ...caller, model, texts, signal, keepAs },
    bodyOf: (answer) => keptVectors(model, named(answer.vectors)),
  });
  meter.note(model, usage, cost);
  const pairs = named(vectors);
  await written(() => saveVectors(deps.db, userId, model, pairs, forgetVectors(keepAs)));
  deps.storage.add(userId, bytesOfVectors(pairs));
}

/** The vectors are paid for, so retry if the database is unavailable or aborted the transaction. */
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
