import { sql } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import './tables.ts';

export interface OpenHoldRow {
  request_id: string;
  user_id: number;
  key_id: number;
  amount: number;
  key_amount: number;
  model_id: string;
  progress: number;
  progress_usage: string;
}

export async function findHold(db: Db, requestId: string): Promise<OpenHoldRow | null> {
  const row = await openHolds(db).where('request_id', '=', requestId).executeTakeFirst();
  return row ?? null;
}

const openHolds = (db: Db) =>
  db
    .selectFrom('billing_holds')
    .select(['request_id', 'user_id', 'key_id', 'amount', 'key_amount', 'model_id', 'progress', 'progress_usage']);

/** Holds nobody will settle: past their time, or of a process that gives no sign of life since `seenAfter`. */
export async function findDeadHolds(
  db: Db,
  nowSeconds: number,
  seenAfter: number,
  limit: number,
): Promise<OpenHoldRow[]> {
  const expired = openHolds(db).where('owner', '=', '').where('expires_at', '<=', nowSeconds);
  const orphaned = openHolds(db)
    .where('owner', '<>', '')
    .where('owner', 'not in', db.selectFrom('billing_owners').select('owner').where('seen_at', '>', seenAfter));
  return expired.unionAll(orphaned).limit(limit).execute();
}

export async function beat(db: Db, owner: string, nowSeconds: number): Promise<void> {
  await db
    .insertInto('billing_owners')
    .values({ owner, seen_at: nowSeconds })
    .onConflict((on) => on.column('owner').doUpdateSet({ seen_at: nowSeconds }))
    .execute();
}

/** Takes owners off the list: all but `but` when embedded, where no other process can be alive. */
export async function forgetOwners(
  db: Db,
  which: { but: string } | { only: string } | { notSeenSince: number },
): Promise<void> {
  const gone = db.deleteFrom('billing_owners');
  if ('but' in which) await gone.where('owner', '<>', which.but).execute();
  else if ('only' in which) await gone.where('owner', '=', which.only).execute();
  else await gone.where('seen_at', '<', which.notSeenSince).execute();
}

export async function countHolds(db: Db): Promise<{ holds: number; amount: number }> {
  const { rows } = await sql<{ holds: number; amount: number }>`
    select coalesce(sum(holds), 0) as holds, coalesce(sum(amount), 0) as amount from (
      select count(*) as holds, sum(amount) as amount from billing_holds
      union all select sum(holds), sum(amount) from billing_reserves) as parts`.execute(db);
  return { holds: Number(rows[0]!.holds), amount: Number(rows[0]!.amount) };
}
