import type { Database } from 'bun:sqlite';
import { prepared } from '../../platform/db/prepared.ts';
import type { Settled } from '../types.ts';
import type { HoldRow, SettleRow, UsageRow } from './port.ts';
import type { OpenHolds } from './sqlite-open-holds.ts';
import { unreserve } from './sqlite-reserves.ts';

type OpenHold = Pick<HoldRow, 'user_id' | 'key_id' | 'amount' | 'key_amount'>;

interface Charge {
  hold: OpenHold;
  charged: number;
  log: UsageRow | null;
}

const gone: Settled = { settled: false, charged: 0, shortfall: 0 };

/**
 * Turns holds into charges, and tells what is to be logged of them. Sums go to each user and key once per batch, since most
 * of a batch is of the same few.
 */
export function settleAll(db: Database, rows: SettleRow[], open: OpenHolds): { settled: Settled[]; logs: UsageRow[] } {
  const charges: Charge[] = [];
  const extra = new Map<number, number>();
  const holds = takeHolds(db, rows, open);
  const settled = rows.map((row, i): Settled => {
    const hold = holds[i];
    if (!hold) return gone;
    const { log } = row;
    const cost = log?.quota ?? 0;
    const charged = cost <= hold.amount ? cost : hold.amount + overrun(db, extra, hold.user_id, cost - hold.amount);
    const shortfall = cost - charged;
    // A copy where it differs: the row may have to be written again, and then the whole cost is asked for once more.
    charges.push({ hold, charged, log: log && shortfall > 0 ? { ...log, quota: charged, shortfall } : log });
    return { settled: true, charged, shortfall };
  });
  payUsers(db, charges);
  payKeys(db, charges);
  return { settled, logs: charges.map(({ log }) => log).filter((log) => log !== null) };
}

const takeRow = 'delete from billing_holds where request_id = ? returning user_id, key_id, amount, key_amount';

/** The open holds of these requests, no longer open; null for those that are settled or released already. */
function takeHolds(db: Database, rows: SettleRow[], open: OpenHolds): (OpenHold | null)[] {
  const own: HoldRow[] = [];
  const holds = rows.map(({ request_id }): OpenHold | null => {
    const summed = open.take(request_id);
    if (!summed) return prepared<OpenHold, [string]>(db, takeRow).get(request_id);
    own.push(summed);
    return summed;
  });
  const lost = unreserve(db, own);
  return lost.length === 0 ? holds : holds.map((hold) => (lost.includes(hold as HoldRow) ? null : hold));
}

/** What the balance can still give of a cost above its hold, in order, without going below zero. */
function overrun(db: Database, extra: Map<number, number>, userId: number, wanted: number): number {
  const taken = extra.get(userId) ?? 0;
  const row = prepared<{ quota: number }, [number]>(db, 'select quota from users where id = ?').get(userId);
  const given = Math.max(0, Math.min(wanted, (row?.quota ?? 0) - taken));
  extra.set(userId, taken + given);
  return given;
}

const payUser = `update users set quota = quota + ?1, used_quota = used_quota + ?2, request_count = request_count + ?3
  where id = ?4 returning quota`;

/** One update a user; what each charge left is walked up from what it returns. */
function payUsers(db: Database, charges: Charge[]): void {
  const perUser = Map.groupBy(charges, (charge) => charge.hold.user_id);
  const pay = prepared<{ quota: number }, [number, number, number, number]>(db, payUser);
  for (const [userId, own] of perUser) {
    const back = own.reduce((sum, { hold, charged }) => sum + hold.amount - charged, 0);
    const used = own.reduce((sum, { charged }) => sum + charged, 0);
    const requests = own.reduce((sum, { log }) => (log ? sum + 1 : sum), 0);
    let balance = (pay.get(back, used, requests, userId)?.quota ?? 0) - back;
    for (const { hold, charged, log } of own) {
      balance += hold.amount - charged;
      if (log && charged > 0) log.balance_after = balance;
    }
  }
}

function payKeys(db: Database, charges: Charge[]): void {
  const unlimited = new Map<number, number>();
  for (const { hold, charged } of charges) {
    if (hold.key_id === 0) continue;
    if (hold.key_amount < 0) unlimited.set(hold.key_id, (unlimited.get(hold.key_id) ?? 0) + charged);
    // A key that overruns its quota stops at zero.
    else
      prepared(
        db,
        'update api_keys set remain_quota = max(0, remain_quota + ?1 - ?2), used_quota = used_quota + ?2 where id = ?3',
      ).run(hold.key_amount, charged, hold.key_id);
  }
  // A key that lost its quota limit meanwhile keeps what it has.
  const use = prepared(db, 'update api_keys set used_quota = used_quota + ? where id = ?');
  for (const [keyId, charged] of unlimited) use.run(charged, keyId);
}
