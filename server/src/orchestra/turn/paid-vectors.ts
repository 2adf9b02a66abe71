import { forgetKept, keptOf } from '../../billing/store/kept-answers.ts';
import type { CallName } from '../../billing/types.ts';
import type { Db } from '../../platform/db/tables.ts';
import { fromBlob, toBlob } from '../search/vectors.ts';
import { type NewVector, saveVectors } from '../store/vectors.ts';

/*
 * Vectors that were paid for are stored with their charge until they are written, so that a process that takes over the
 * texts of a dead one finds them. They are kept in their binary form, because as JSON numbers they would exceed the
 * size limit of kept answers.
 */

interface Kept {
  model: string;
  vectors: [documentId: number, base64: string][];
}

const workOf = (userId: number): string => `embed:${userId}`;

/** No two live processes embed the same document, so the first document identifies the call. */
export const nameOfCall = (userId: number, model: string, documentIds: number[]): CallName => ({
  work: workOf(userId),
  call: `${documentIds[0]}:${model}`,
});

export const keptVectors = (model: string, vectors: NewVector[]): string =>
  JSON.stringify({
    model,
    vectors: vectors.map(({ documentId, vector }) => [documentId, Buffer.from(toBlob(vector)).toString('base64')]),
  } satisfies Kept);

/** Deletes the kept vectors, once they are written. */
export const forgetVectors =
  ({ work, call }: CallName) =>
  (tx: Db): Promise<void> =>
    forgetKept(tx, work, [call]);

/** Writes the kept vectors that include any of these documents; returns the documents that still need embedding. */
export async function savePaid(db: Db, userId: number, documentIds: number[]): Promise<number[]> {
  const left = new Set(documentIds);
  for (const { call, body } of await keptOf(db, workOf(userId))) {
    // Written by `keptVectors`.
    const { model, vectors } = JSON.parse(body) as Kept;
    // Vectors of other documents may be about to be written by the process that embeds them.
    if (!vectors.some(([id]) => left.has(id))) continue;
    const found = vectors.map(([documentId, base64]) => ({
      documentId,
      vector: fromBlob(Buffer.from(base64, 'base64')),
    }));
    await saveVectors(db, userId, model, found, forgetVectors({ work: workOf(userId), call }));
    for (const { documentId } of found) left.delete(documentId);
  }
  return [...left];
}
