import { forgetKept, keptOf } from '../../billing/store/kept-answers.ts';
import type { CallName } from '../../billing/types.ts';
import type { Db } from '../../platform/db/tables.ts';
import { fromBlob, toBlob } from '../search/vectors.ts';
import { type NewVector, saveVectors } from '../store/vectors.ts';

/*
 * Vectors that were paid for are kept with their charge until they are written, so that whoever takes the texts of a process that
 * died in between finds them. As the bytes that are stored in the end: written as numbers they would pass the bound of what is kept.
 */

interface Kept {
  model: string;
  vectors: [documentId: number, base64: string][];
}

const workOf = (userId: number): string => `embed:${userId}`;

/** No two that live embed the same document, so the first of them names the call. */
export const nameOfCall = (userId: number, model: string, documentIds: number[]): CallName => ({
  work: workOf(userId),
  call: `${documentIds[0]}:${model}`,
});

export const keptVectors = (model: string, vectors: NewVector[]): string =>
  JSON.stringify({
    model,
    vectors: vectors.map(({ documentId, vector }) => [documentId, Buffer.from(toBlob(vector)).toString('base64')]),
  } satisfies Kept);

/** Once they are written. */
export const forgetVectors =
  ({ work, call }: CallName) =>
  (tx: Db): Promise<void> =>
    forgetKept(tx, work, [call]);

/** Writes what was paid for before and holds any of these documents; answers which of them are left to embed. */
export async function savePaid(db: Db, userId: number, documentIds: number[]): Promise<number[]> {
  const left = new Set(documentIds);
  for (const { call, body } of await keptOf(db, workOf(userId))) {
    // As `keptVectors` wrote it.
    const { model, vectors } = JSON.parse(body) as Kept;
    // What none of ours is in may be on its way to be written by whoever embeds it.
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
