import { findRow } from '../../../platform/db/find-row.ts';
import { countRows } from '../../../platform/db/list-page.ts';
import type { Db } from '../../../platform/db/tables.ts';
import { type ResponseRow, type Scope, within } from './tables.ts';

export const running = ['queued', 'in_progress'];

export const readResponse = (db: Db, id: string): Promise<ResponseRow | null> => findRow(db, 'kept_responses', { id });

/** Null if it is gone. */
export async function ownerOf(db: Db, id: string): Promise<number | null> {
  const found = db.selectFrom('kept_responses').select('user_id').where('id', '=', id);
  return (await found.executeTakeFirst())?.user_id ?? null;
}

/** A user's queued and running responses. */
export const countRunning = (db: Db, userId: number): Promise<number> =>
  countRows(db.selectFrom('kept_responses').where('user_id', '=', userId).where('ended_at', 'is', null));

/** Claims the work: from here on earlier attempts are fenced off. Null if it has ended or is gone. */
export async function beginWork(db: Db, id: string, now: number): Promise<ResponseRow | null> {
  const row = await db
    .updateTable('kept_responses')
    .set((e) => ({ status: 'in_progress', epoch: e('epoch', '+', 1), touched_at: now }))
    .where('id', '=', id)
    .where('status', 'in', running)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** The current attempt and status; null if it is gone. */
export async function standingOf(db: Db, id: string): Promise<Pick<ResponseRow, 'epoch' | 'status'> | null> {
  const found = db.selectFrom('kept_responses').select(['epoch', 'status']).where('id', '=', id);
  return (await found.executeTakeFirst()) ?? null;
}

export interface Ending {
  status: string;
  response: string;
  items: number;
  bytes: number;
}

/** False if another attempt has it, or it was cancelled or deleted. */
export async function endWork(tx: Db, id: string, epoch: number, ending: Ending, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('kept_responses')
    .set((e) => ({
      ...{ status: ending.status, response: ending.response, request: null, ended_at: now, touched_at: now },
      items: e('items', '+', ending.items),
      bytes: e('bytes', '+', ending.bytes),
    }))
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('status', '=', 'in_progress')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** From any process; the worker finds that it no longer owns the row. */
export async function cancelWork(db: Db, scope: Scope, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('kept_responses')
    .set((e) => ({ status: 'cancelled', epoch: e('epoch', '+', 1), request: null, ended_at: now, touched_at: now }))
    .where('id', '=', id)
    .where('background', '=', 1)
    .where('status', 'in', running)
    .where(within(scope))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Work that should have ended by now, or was never queued. */
export async function findStale(db: Db, before: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('kept_responses')
    .select('id')
    .where('ended_at', 'is', null)
    .where('touched_at', '<', before)
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function runningOf(db: Db, userId: number): Promise<string[]> {
  const own = db.selectFrom('kept_responses').select('id').where('user_id', '=', userId);
  return (await own.where('ended_at', 'is', null).execute()).map(({ id }) => id);
}
