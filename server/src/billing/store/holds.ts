import { sql } from 'kysely';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import type { HoldOutcome, Settled } from '../types.ts';
import { balanceOf } from './allotments.ts';
import { noteEntry } from './journal.ts';
import { keepAnswer } from './kept-answers.ts';
import { dayOf, type HoldRow, type KeptRow, type ProgressRow, type UsageRow, usageColumns, windowsOf } from './port.ts';
import './tables.ts';

/*
 * Holds with a row of their own and charges that bypass allotments: video jobs, and what a dead process left. Rare, so
 * both engines share plain statements instead of batches.
 */

type StoredHold = Pick<ProgressRow, 'request_id' | 'user_id' | 'key_id' | 'amount' | 'key_amount' | 'model_id'> &
  Pick<ProgressRow, 'progress' | 'progress_usage' | 'levels'>;

const storedHolds = (db: Db) =>
  db
    .selectFrom('billing_holds')
    .select(['request_id', 'user_id', 'key_id', 'amount', 'key_amount', 'model_id', 'progress', 'progress_usage'])
    .select('levels');

/** A durable hold, which any process may settle. */
export async function findDurable(db: Db, requestId: string): Promise<StoredHold | null> {
  const durable = storedHolds(db).where('request_id', '=', requestId).where('owner', '=', '');
  return (await durable.executeTakeFirst()) ?? null;
}

export const findHoldsOf = (db: Db, owner: string): Promise<StoredHold[]> =>
  storedHolds(db).where('owner', '=', owner).orderBy('request_id').execute();

export const findExpired = (db: Db, nowSeconds: number): Promise<StoredHold[]> =>
  storedHolds(db).where('owner', '=', '').where('expires_at', '<=', nowSeconds).limit(200).execute();

/** Running requests have rows too, once they report progress: their process counts those. */
export async function countDurable(db: Db): Promise<{ holds: number; amount: number }> {
  const { rows } = await sql<{ holds: number; amount: number }>`select count(*) as holds,
    coalesce(sum(amount), 0) as amount from billing_holds where owner = ''`.execute(db);
  return { holds: Number(rows[0]!.holds), amount: Number(rows[0]!.amount) };
}

class Short extends Error {
  constructor(readonly outcome: HoldOutcome) {
    super(String(outcome));
  }
}

/** Takes the money from the balance itself. Repeated for the same request it takes nothing more. */
export async function holdDurable(db: Db, row: HoldRow): Promise<HoldOutcome> {
  try {
    return await db.transaction().execute(async (tx): Promise<HoldOutcome> => {
      const made = await tx
        .insertInto('billing_holds')
        .values(row)
        .onConflict((c) => c.doNothing())
        .executeTakeFirst();
      if (made.numInsertedOrUpdatedRows === 0n) return 'held';
      const user = await sql`update users set quota = quota - ${row.amount}
        where id = ${row.user_id} and quota >= ${row.amount}`.execute(tx);
      if (user.numAffectedRows === 0n) throw new Short('user_short');
      if (row.key_amount > 0) {
        const key = await sql`update api_keys set remain_quota = remain_quota - ${row.key_amount}
          where id = ${row.key_id} and remain_quota >= ${row.key_amount}`.execute(tx);
        if (key.numAffectedRows === 0n) throw new Short('key_short');
      }
      await takeFromWindows(tx, row);
      return 'held';
    });
  } catch (error) {
    if (error instanceof Short) return error.outcome;
    throw error;
  }
}

/** In the order of their ids, as everywhere they are locked. */
const inIdOrder = (levels: string): number[] => windowsOf(levels).toSorted((a, b) => a - b);

async function takeFromWindows(tx: Db, { levels, amount }: HoldRow): Promise<void> {
  for (const id of inIdOrder(levels)) {
    const window = await sql`update budget_windows set remain = remain - ${amount}
      where id = ${id} and remain >= ${amount}`.execute(tx);
    if (window.numAffectedRows === 0n) throw new Short(id);
  }
}

const gone: Settled = { settled: false, charged: 0, shortfall: 0 };

/** Ends a hold that has a row: charges it with `log`, releases it without. */
export const settleStored = (
  db: Db,
  requestId: string,
  log: UsageRow | null,
  kept: KeptRow | null = null,
): Promise<Settled> =>
  db.transaction().execute(async (tx) => {
    const [hold] = await tx
      .deleteFrom('billing_holds')
      .where('request_id', '=', requestId)
      .returning(['user_id', 'key_id', 'amount', 'key_amount', 'levels'])
      .execute();
    if (!hold) return gone;
    if (kept) await keepAnswer(tx, kept);
    return settleIn(tx, hold, log);
  });

type Held = Pick<HoldRow, 'user_id' | 'key_id' | 'amount' | 'key_amount' | 'levels'>;

/**
 * Bypasses allotments: returns the held amount to the balance and takes the cost from there, as far as it covers it.
 */
export async function settleIn(tx: Db, hold: Held, log: UsageRow | null): Promise<Settled> {
  const cost = log?.quota ?? 0;
  const lock = engineOf(tx) === 'postgres' ? sql` for no key update` : sql``;
  const user = await sql<{ quota: number }>`select quota from users where id = ${hold.user_id}${lock}`.execute(tx);
  const balance = user.rows[0]?.quota ?? 0;
  const charged = Math.min(cost, hold.amount + Math.max(0, balance));
  await sql`update users set quota = quota + ${hold.amount - charged}, used_quota = used_quota + ${charged},
    request_count = request_count + ${log ? 1 : 0} where id = ${hold.user_id}`.execute(tx);
  if (hold.key_id > 0) await settleKey(tx, hold, charged);
  await settleWindows(tx, hold, charged);
  if (log) await logDirectly(tx, { ...log, quota: charged, shortfall: cost - charged });
  return { settled: true, charged, shortfall: cost - charged };
}

/** A key that exceeds its quota stops at zero. */
async function settleKey(tx: Db, { key_id, key_amount }: Held, charged: number): Promise<void> {
  const back = key_amount < 0 ? 0 : key_amount - charged;
  await sql`update api_keys set used_quota = used_quota + ${charged}, remain_quota = case
      when ${back} < 0 and remain_quota < ${-back} then 0 else remain_quota + ${back} end
    where id = ${key_id}`.execute(tx);
}

/** An exceeded budget has nothing left, and `used` shows by how much. A deleted budget has no row. */
async function settleWindows(tx: Db, { levels, amount }: Held, charged: number): Promise<void> {
  for (const id of inIdOrder(levels))
    await sql`update budget_windows set used = used + ${charged}, remain = remain + ${amount - charged}
      where id = ${id}`.execute(tx);
}

async function logDirectly(tx: Db, row: UsageRow): Promise<void> {
  if (engineOf(tx) === 'postgres') return noteEntry(tx, row);
  // All columns of a row and nothing else; the types get lost in `fromEntries`.
  const values = Object.fromEntries(usageColumns.map((column) => [column, row[column]])) as unknown as UsageRow;
  if (row.quota > 0) values.balance_after = await balanceOf(tx, row.user_id);
  await tx.insertInto('usage_logs').values(values).execute();
  await sql`insert into usage_days (user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota)
    values (${row.user_id}, ${dayOf(row.created_at)}, ${row.model_id}, ${row.key_id}, 1, ${row.prompt_tokens},
      ${row.completion_tokens}, ${row.quota})
    on conflict (user_id, day, model_id, key_id) do update set requests = usage_days.requests + 1,
      prompt_tokens = usage_days.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = usage_days.completion_tokens + excluded.completion_tokens,
      quota = usage_days.quota + excluded.quota`.execute(tx);
}
