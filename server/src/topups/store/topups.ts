import { sql } from 'kysely';
import { findRow, hasRow } from '../../platform/db/find-row.ts';
import { countUpTo, type Range } from '../../platform/db/list-page.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { TopUpRow } from './tables.ts';

export const insertTopUp = (
  db: Db,
  topUp: Pick<TopUpRow, 'user_id' | 'cents' | 'quota' | 'status' | 'created_at' | 'updated_at'>,
): Promise<TopUpRow> =>
  db
    .insertInto('topups')
    .values({ ...topUp, session_id: null, payment_id: null })
    .returningAll()
    .executeTakeFirstOrThrow();

/** Only the first call counts: a top-up never changes its session. */
export async function nameSession(db: Db, id: number, sessionId: string): Promise<void> {
  await db
    .updateTable('topups')
    .set({ session_id: sessionId })
    .where('id', '=', id)
    .where('session_id', 'is', null)
    .execute();
}

export async function failTopUp(db: Db, id: number, now: number): Promise<void> {
  await db
    .updateTable('topups')
    .set({ status: 'failed', updated_at: now })
    .where('id', '=', id)
    .where('session_id', 'is', null)
    .execute();
}

/** Reads the row and increments `looked`, which outdates all earlier fetches from Stripe. */
export async function lookAtTopUp(db: Db, id: number): Promise<TopUpRow | null> {
  const looked = db
    .updateTable('topups')
    .set((e) => ({ looked: e('looked', '+', 1) }))
    .where('id', '=', id)
    .returningAll();
  return (await looked.executeTakeFirst()) ?? null;
}

export type Standing = Pick<TopUpRow, 'credited' | 'owed' | 'status' | 'payment_id' | 'updated_at'>;

/** False if another call has fetched since. */
export async function writeStanding(db: Db, { id, looked }: TopUpRow, standing: Standing): Promise<boolean> {
  const written = await db
    .updateTable('topups')
    .set({ ...standing, payment_id: sql<string | null>`coalesce(payment_id, ${standing.payment_id})` })
    .where('id', '=', id)
    .where('looked', '=', looked)
    .executeTakeFirst();
  return written.numUpdatedRows > 0n;
}

export const findTopUp = (db: Db, id: number): Promise<TopUpRow | null> => findRow(db, 'topups', { id });

export const findByPayment = (db: Db, paymentId: string): Promise<TopUpRow | null> =>
  findRow(db, 'topups', { payment_id: paymentId });

const ofUser = (db: Db, userId: number | undefined) =>
  db.selectFrom('topups').$if(userId !== undefined, (all) => all.where('user_id', '=', userId!));

/** Newest first. */
export const listTopUps = (db: Db, userId: number | undefined, { limit, offset }: Range): Promise<TopUpRow[]> =>
  ofUser(db, userId).selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute();

const mostCounted = 10_000;
export const countTopUps = (db: Db, userId: number | undefined): Promise<number> =>
  countUpTo(db, ofUser(db, userId).select('id').orderBy('id', 'desc'), mostCounted);

/** Top-ups without news for a while, or with an amount still owed; the ones updated longest ago first. */
export async function findUnsettled(db: Db, before: number, most: number): Promise<number[]> {
  const rows = await db
    .selectFrom('topups')
    .select('id')
    .where((e) => e.or([e.and([e('status', '=', 'open'), e('session_id', 'is not', null)]), e('owed', '>', 0)]))
    .where('updated_at', '<', before)
    .orderBy('updated_at')
    .limit(most)
    .execute();
  return rows.map(({ id }) => id);
}

/** Expires top-ups without a session: the process died before it knew the page. Returns how many. */
export async function expireUnnamed(db: Db, before: number, now: number, most: number): Promise<number> {
  const old = db
    .selectFrom('topups')
    .select('id')
    .where('status', '=', 'open')
    .where('session_id', 'is', null)
    .where('updated_at', '<', before)
    .limit(most);
  const ended = await db
    .updateTable('topups')
    .set({ status: 'expired', updated_at: now })
    .where('id', 'in', old)
    // Unless it has got a session in the meantime.
    .where('session_id', 'is', null)
    .executeTakeFirst();
  return Number(ended.numUpdatedRows);
}

/** Its state cannot be fetched now: check others first next time. */
export async function postponeTopUp(db: Db, id: number, now: number): Promise<void> {
  await db.updateTable('topups').set({ updated_at: now }).where('id', '=', id).execute();
}

export const isKnownEvent = (db: Db, id: string): Promise<boolean> => hasRow(db, 'payment_events', { id });

/** Call when an event is fully handled: Stripe sends it again if that fails. */
export async function noteEvent(db: Db, event: { id: string; type: string; created_at: number }): Promise<void> {
  await db
    .insertInto('payment_events')
    .values(event)
    .onConflict((c) => c.column('id').doNothing())
    .execute();
}

/** Bounded; returns how many were deleted. */
export async function deleteOldEvents(db: Db, before: number, most: number): Promise<number> {
  const gone = await db
    .deleteFrom('payment_events')
    .where('id', 'in', (e) => e.selectFrom('payment_events').select('id').where('created_at', '<', before).limit(most))
    .executeTakeFirst();
  return Number(gone.numDeletedRows);
}
