import { type Db, engineOf } from '../../platform/db/tables.ts';
import { rowBytes } from '../../platform/storage-quota/sizes.ts';
import { fromBlob, signBits, toBlob } from '../search/vectors.ts';
import { processInSlices } from '../work-slices.ts';
import './tables.ts';

export interface NewVector {
  documentId: number;
  vector: ArrayLike<number>;
}

/** Four bytes and one sign bit per number. */
export const bytesOfVectors = (vectors: NewVector[]): number =>
  vectors.reduce((bytes, { vector }) => bytes + rowBytes + Math.ceil(vector.length * 4.125), 0);

/**
 * Skips documents that were deleted or embedded meanwhile. Rows are locked in the order of the documents; a row that is
 * already locked is skipped, because it is being deleted: a deadlock would lose vectors that are already paid. `also`
 * runs in the same transaction.
 */
export async function saveVectors(
  db: Db,
  userId: number,
  model: string,
  vectors: NewVector[],
  also?: (tx: Db) => Promise<void>,
): Promise<void> {
  if (vectors.length === 0) return;
  const byDocument = new Map(vectors.map(({ documentId, vector }) => [documentId, vector]));
  await db.transaction().execute(async (tx) => {
    await also?.(tx);
    const wanted = tx
      .selectFrom('ms_documents')
      .select('id')
      .where('id', 'in', [...byDocument.keys()])
      .orderBy('id');
    const living = await (engineOf(tx) === 'postgres' ? wanted.forKeyShare().skipLocked() : wanted).execute();
    if (living.length === 0) return;
    const rows = living.map(({ id }) => {
      const vector = byDocument.get(id)!;
      return { document_id: id, user_id: userId, model, bits: signBits(vector), vector: toBlob(vector) };
    });
    // A process that was considered dead may save documents that another one has embedded since.
    const insert = tx.insertInto('ms_vectors').values(rows);
    await insert.onConflict((conflict) => conflict.column('document_id').doNothing()).execute();
  });
}

/** Sign bits of a user's vectors of one model with an id above `afterId`, oldest first. */
export const loadBits = (db: Db, userId: number, model: string, afterId: number, limit: number) =>
  db
    .selectFrom('ms_vectors')
    .select(['id', 'document_id', 'bits'])
    .where('user_id', '=', userId)
    .where('model', '=', model)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();

/** Vectors of one session's messages by message id. */
export async function sessionVectors(db: Db, sessionRef: number, model: string): Promise<Map<number, Float32Array>> {
  const rows = await db
    .selectFrom('ms_documents as d')
    .innerJoin('ms_vectors as v', 'v.document_id', 'd.id')
    .select(['d.message_id', 'v.vector'])
    .where('d.session_ref', '=', sessionRef)
    .where('v.model', '=', model)
    .orderBy('d.id', 'desc')
    .limit(1000)
    .execute();
  return new Map(rows.map((row) => [row.message_id ?? 0, fromBlob(row.vector)]));
}

/** Vectors of one model by document id, for the user's documents that have one. */
export async function vectorsOf(
  db: Db,
  userId: number,
  model: string,
  documentIds: number[],
): Promise<Map<number, Float32Array>> {
  // Filter by document only: given the user and model as well, SQLite would scan all of the user's rows.
  const rows = await processInSlices(documentIds, (ids) =>
    db
      .selectFrom('ms_vectors')
      .select(['document_id', 'user_id', 'model', 'vector'])
      .where('document_id', 'in', ids)
      .execute(),
  );
  const own = rows.filter((row) => row.user_id === userId && row.model === model);
  return new Map(own.map(({ document_id, vector }) => [document_id, fromBlob(vector)]));
}
