import { insertMany } from '../../platform/db/insert-many.ts';
import type { Db } from '../../platform/db/tables.ts';
import { updateRows } from '../../platform/db/update-rows.ts';
import { type Attempt, Overtaken } from './batches.ts';
import type { BatchRow, RequestRow, RequestState } from './tables.ts';
import './tables.ts';

export type NewRequest = Pick<RequestRow, 'position' | 'custom_id' | 'first_byte' | 'last_byte'>;

const columns = ['batch_ref', 'position', 'custom_id', 'first_byte', 'last_byte', 'state'] as const;

export async function insertRequests(db: Db, batchRef: number, requests: NewRequest[]): Promise<void> {
  const values = requests.flatMap((row) => [
    ...[batchRef, row.position, row.custom_id, row.first_byte, row.last_byte, 'pending'],
  ]);
  await insertMany(db, 'batch_requests', columns, values);
}

export function pendingRequests(db: Db, batchRef: number, after: number, limit: number): Promise<RequestRow[]> {
  return db
    .selectFrom('batch_requests')
    .selectAll()
    .where('batch_ref', '=', batchRef)
    .where('position', '>', after)
    .where('state', '=', 'pending')
    .orderBy('position')
    .limit(limit)
    .execute();
}

export interface Outcome {
  state: 'succeeded' | 'errored';
  requestId: string;
  statusCode: number;
  text: string;
}

/** The first outcome of a request counts, once. Returns the batch as it is then; throws if another attempt owns it. */
export function writeOutcome(
  db: Db,
  { ref, attempts }: Attempt,
  row: Pick<RequestRow, 'position'>,
  outcome: Outcome,
  now: number,
  /** Further writes of the same transaction. */
  within: (tx: Db) => Promise<void>,
): Promise<BatchRow> {
  const { state, requestId, statusCode, text } = outcome;
  return db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('batch_requests')
      .set({ state, request_id: requestId, status_code: statusCode, outcome: text })
      .where('batch_ref', '=', ref)
      .where('position', '=', row.position)
      .where('state', '=', 'pending')
      .executeTakeFirst();
    await within(tx);
    const by = numUpdatedRows > 0n ? 1 : 0;
    const batch = await tx
      .updateTable('batches')
      .set((e) => ({ [state]: e(state, '+', by), touched_at: now }))
      .where('ref', '=', ref)
      .where('attempts', '=', attempts)
      .returningAll()
      .executeTakeFirst();
    if (!batch) throw new Overtaken();
    return batch;
  });
}

/** Requests that will not be asked any more. */
export async function closePending(db: Db, batchRef: number, state: 'canceled' | 'expired'): Promise<void> {
  await updateRows(db, 'batch_requests', { batch_ref: batchRef, state: 'pending' }, { state });
}

export type StateCounts = Record<RequestState, number>;

export async function countStates(db: Db, batchRef: number): Promise<StateCounts> {
  const rows = await db
    .selectFrom('batch_requests')
    .select((e) => ['state', e.fn.countAll<number>().as('n')] as const)
    .where('batch_ref', '=', batchRef)
    .groupBy('state')
    .execute();
  const counts: StateCounts = { pending: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
  for (const { state, n } of rows) counts[state as RequestState] = Number(n);
  return counts;
}

export function pageRequests(
  db: Db,
  batchRef: number,
  states: readonly RequestState[],
  after: number,
  limit: number,
): Promise<RequestRow[]> {
  return db
    .selectFrom('batch_requests')
    .selectAll()
    .where('batch_ref', '=', batchRef)
    .where('position', '>', after)
    .where('state', 'in', states)
    .orderBy('position')
    .limit(limit)
    .execute();
}

export async function deleteRequests(db: Db, batchRef: number, most: number): Promise<number> {
  const some = db
    .selectFrom('batch_requests')
    .select('position')
    .where('batch_ref', '=', batchRef)
    .orderBy('position')
    .limit(most);
  const { numDeletedRows } = await db
    .deleteFrom('batch_requests')
    .where('batch_ref', '=', batchRef)
    .where('position', 'in', some)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Finished batches that still have rows here, after a crash. */
export async function findUncleared(db: Db, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('batches')
    .select('ref')
    .where('ended_at', 'is not', null)
    .where((e) => e.exists(e.selectFrom('batch_requests').select('position').whereRef('batch_ref', '=', 'batches.ref')))
    .limit(limit)
    .execute();
  return rows.map(({ ref }) => ref);
}
