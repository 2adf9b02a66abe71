import type { Insertable } from 'kysely';
import { deleteRows } from '../../platform/db/delete-rows.ts';
import { findRow } from '../../platform/db/find-row.ts';
import { countRows } from '../../platform/db/list-page.ts';
import type { Db, Tables } from '../../platform/db/tables.ts';
import { beyond, type Place } from './place.ts';
import type { BatchRow, Wire } from './tables.ts';
import './tables.ts';

export async function insertBatch(db: Db, batch: Insertable<Tables['batches']>): Promise<BatchRow> {
  return db.insertInto('batches').values(batch).returningAll().executeTakeFirstOrThrow();
}

export const readBatch = (db: Db, id: string): Promise<BatchRow | null> => findRow(db, 'batches', { id });

export const findBatch = (db: Db, userId: number, wire: Wire, id: string): Promise<BatchRow | null> =>
  findRow(db, 'batches', { user_id: userId, wire, id });

export interface BatchPage {
  /** Older than this one; or, with `before`, newer. */
  after?: Place | undefined;
  before?: Place | undefined;
  limit: number;
}

/** Newest first. */
export async function pageBatches(db: Db, userId: number, wire: Wire, page: BatchPage): Promise<BatchRow[]> {
  const { after, before, limit } = page;
  const rows = await db
    .selectFrom('batches')
    .selectAll()
    .where('user_id', '=', userId)
    .where('wire', '=', wire)
    .$if(after !== undefined, (query) => query.where((e) => beyond(e, after!, '<')))
    .$if(before !== undefined, (query) => query.where((e) => beyond(e, before!, '>')))
    .orderBy('ref', before ? 'asc' : 'desc')
    .limit(limit)
    .execute();
  return before ? rows.reverse() : rows;
}

export const countRunning = (db: Db, userId: number): Promise<number> =>
  countRows(db.selectFrom('batches').where('user_id', '=', userId).where('ended_at', 'is', null));

/** Null if it has ended or is gone. */
export async function beginWork(db: Db, id: string, now: number): Promise<BatchRow | null> {
  const row = await db
    .updateTable('batches')
    .set((e) => ({ attempts: e('attempts', '+', 1), touched_at: now }))
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Another attempt has started, or the batch is gone: this one is fenced off. */
export class Overtaken extends Error {}

export type Attempt = Pick<BatchRow, 'ref' | 'attempts'>;

/** Writes only while this attempt owns the batch: a process that resumes late must not change anything. */
export function withinAttempt<T>(db: Db, { ref, attempts }: Attempt, write: (tx: Db) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('batches')
      .set((e) => ({ attempts: e.ref('attempts') }))
      .where('ref', '=', ref)
      .where('attempts', '=', attempts)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new Overtaken();
    return write(tx);
  });
}

/** Moves from one state to the next; null if it is in another, because it was cancelled, taken over or deleted. */
export async function advance(
  db: Db,
  { ref, attempts }: Attempt,
  from: string,
  set: Partial<Pick<BatchRow, 'status' | 'total' | 'model' | 'in_progress_at' | 'finalizing_at' | 'errors'>> & {
    ended_at?: number;
    touched_at: number;
  },
): Promise<BatchRow | null> {
  const row = await db
    .updateTable('batches')
    .set(set)
    .where('ref', '=', ref)
    .where('attempts', '=', attempts)
    .where('status', '=', from)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** False if there is nothing left to cancel. */
export async function cancelBatch(db: Db, ref: number, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('batches')
    .set({ status: 'cancelling', cancelling_at: now, touched_at: now })
    .where('ref', '=', ref)
    .where('status', 'in', ['validating', 'in_progress'])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

type Ending = Pick<
  BatchRow,
  | 'status'
  | 'total'
  | 'succeeded'
  | 'errored'
  | 'canceled'
  | 'expired'
  | 'output_file_id'
  | 'error_file_id'
  | 'results_blob'
  | 'bytes'
>;

/** Ends the batch and publishes its results in one transaction; false if it had ended before. */
export function endBatch(
  db: Db,
  ref: number,
  ending: Ending,
  now: number,
  within: (tx: Db) => Promise<unknown>,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('batches')
      .set({ ...ending, ended_at: now, touched_at: now })
      .where('ref', '=', ref)
      .where('ended_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await within(tx);
    return true;
  });
}

/** Batches whose job may have been lost. */
export async function findStale(db: Db, before: number, limit: number): Promise<string[]> {
  const running = db.selectFrom('batches').select('id').where('ended_at', 'is', null);
  return (await running.where('touched_at', '<', before).limit(limit).execute()).map(({ id }) => id);
}

export type Remains = Pick<BatchRow, 'ref' | 'id' | 'wire' | 'input_blob' | 'results_blob'>;
const remains = ['ref', 'id', 'wire', 'input_blob', 'results_blob'] as const;

export function findOld(db: Db, before: number, limit: number): Promise<Remains[]> {
  return db.selectFrom('batches').select(remains).where('ended_at', '<', before).limit(limit).execute();
}

export function batchesOf(db: Db, userId: number, limit: number): Promise<Remains[]> {
  return db.selectFrom('batches').select(remains).where('user_id', '=', userId).limit(limit).execute();
}

export const deleteBatch = (db: Db, ref: number): Promise<boolean> => deleteRows(db, 'batches', { ref });
