import { sql } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import { livingOwners } from '../../platform/durable/lease.ts';
import type { HeldRow } from './port.ts';
import './tables.ts';

export interface OpenHoldRow extends HeldRow {
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

/** Holds nobody will settle: past their time, or of a process that is gone. */
export async function findDeadHolds(db: Db, nowSeconds: number, limit: number): Promise<OpenHoldRow[]> {
  const expired = openHolds(db).where('owner', '=', '').where('expires_at', '<=', nowSeconds);
  const orphaned = openHolds(db).where('owner', '<>', '').where('owner', 'not in', livingOwners(db));
  return expired.unionAll(orphaned).limit(limit).execute();
}

export async function countHolds(db: Db): Promise<{ holds: number; amount: number }> {
  const { rows } = await sql<{ holds: number; amount: number }>`
    select coalesce(sum(holds), 0) as holds, coalesce(sum(amount), 0) as amount from (
      select count(*) as holds, sum(amount) as amount from billing_holds
      union all select sum(holds), sum(amount) from billing_reserves) as parts`.execute(db);
  return { holds: Number(rows[0]!.holds), amount: Number(rows[0]!.amount) };
}
