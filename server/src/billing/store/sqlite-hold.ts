import type { Database } from 'bun:sqlite';
import { prepared } from '../../platform/db/prepared.ts';
import type { HoldOutcome, HoldRow } from './port.ts';
import type { OpenHolds } from './sqlite-open-holds.ts';
import { reserve } from './sqlite-reserves.ts';

const insertHold = `insert into billing_holds
  (request_id, user_id, key_id, amount, key_amount, model_id, estimate, owner, expires_at, created_at, progress, progress_usage)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`;

/** False when the request has such a row already. */
export const writeHold = (db: Database, row: HoldRow, progress = 0, usage = '{}'): boolean =>
  prepared(db, insertHold).run(
    row.request_id,
    row.user_id,
    row.key_id,
    row.amount,
    row.key_amount,
    row.model_id,
    row.estimate,
    row.owner,
    row.expires_at,
    row.created_at,
    progress,
    usage,
  ).changes === 1;

/** Whoever outlives its process is found by others, and so needs a row. */
const isDurable = (row: HoldRow): boolean => row.owner === '';

/**
 * Notes the holds first, so that a request id that is open already shows, and then takes the money: for all new holds of
 * a user in one step when that fits, else one by one in order of arrival.
 */
export function holdAll(db: Database, rows: HoldRow[], open: OpenHolds): HoldOutcome[] {
  const outcomes: HoldOutcome[] = rows.map(() => 'held');
  const fresh = new Map<number, number[]>();
  rows.forEach((row, i) => {
    if (isDurable(row) ? !writeHold(db, row) : !open.add(row)) return;
    const list = fresh.get(row.user_id);
    if (list) list.push(i);
    else fresh.set(row.user_id, [i]);
  });
  const held: HoldRow[] = [];
  for (const [userId, indexes] of fresh) {
    const together = takeTogether(db, userId, indexes, rows);
    for (const i of indexes) {
      const row = rows[i]!;
      if (!together) outcomes[i] = takeOne(db, row);
      if (outcomes[i] !== 'held') refuse(db, row, open);
      else if (!isDurable(row)) held.push(row);
    }
  }
  reserve(db, held);
  return outcomes;
}

function refuse(db: Database, row: HoldRow, open: OpenHolds): void {
  if (isDurable(row)) prepared(db, 'delete from billing_holds where request_id = ?').run(row.request_id);
  else open.take(row.request_id);
}

const debitUser = 'update users set quota = quota - ?1 where id = ?2 and quota >= ?1';

/** Keys with a quota of their own are rare, and each is asked by itself. */
function takeTogether(db: Database, userId: number, indexes: number[], rows: HoldRow[]): boolean {
  let sum = 0;
  for (const i of indexes) {
    const row = rows[i]!;
    if (row.key_amount > 0) return false;
    sum += row.amount;
  }
  return prepared(db, debitUser).run(sum, userId).changes === 1;
}

function takeOne(db: Database, row: HoldRow): HoldOutcome {
  if (prepared(db, debitUser).run(row.amount, row.user_id).changes === 0) return 'user_short';
  if (row.key_amount <= 0) return 'held';
  const key = prepared(db, 'update api_keys set remain_quota = remain_quota - ?1 where id = ?2 and remain_quota >= ?1');
  if (key.run(row.key_amount, row.key_id).changes === 1) return 'held';
  prepared(db, 'update users set quota = quota + ?1 where id = ?2').run(row.amount, row.user_id);
  return 'key_short';
}
