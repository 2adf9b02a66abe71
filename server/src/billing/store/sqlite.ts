import type { Database } from 'bun:sqlite';
import type { OpenDb } from '../../platform/db/open.ts';
import type { Settled } from '../types.ts';
import type { HoldOutcome, HoldRow, HoldStore, SettleRow, UsageRow } from './port.ts';
import { UsageSums } from './sqlite-sums.ts';

/**
 * Row by row with prepared statements inside one synchronous transaction: on SQLite a statement costs microseconds and
 * the commit is what has to be shared.
 */
export function sqliteHoldStore(write: NonNullable<OpenDb['writeSync']>): HoldStore {
  return {
    hold: (rows) => write((db) => rows.map((row) => holdOne(db, row))),
    settle: (rows) =>
      write((db) => {
        const sums = new UsageSums();
        const settled = rows.map((row) => settleOne(db, row, sums));
        sums.write(db);
        return settled;
      }),
    record: (rows) =>
      write((db) => {
        const sums = new UsageSums();
        for (const row of rows) logUsage(db, row, sums);
        sums.write(db);
      }),
    progress: (rows) =>
      write((db) => {
        const update = db.query('update billing_holds set progress = ?, progress_usage = ? where request_id = ?');
        for (const row of rows) update.run(row.progress, row.usage, row.request_id);
      }),
  };
}

function holdOne(db: Database, row: HoldRow): HoldOutcome {
  if (db.query('select 1 from billing_holds where request_id = ?').get(row.request_id)) return 'held';
  const debit = db.query('update users set quota = quota - ?1 where id = ?2 and quota >= ?1');
  if (debit.run(row.amount, row.user_id).changes === 0) return 'user_short';
  if (row.key_amount > 0) {
    const key = db.query('update api_keys set remain_quota = remain_quota - ?1 where id = ?2 and remain_quota >= ?1');
    if (key.run(row.key_amount, row.key_id).changes === 0) {
      db.query('update users set quota = quota + ?1 where id = ?2').run(row.amount, row.user_id);
      return 'key_short';
    }
  }
  db.query(
    `insert into billing_holds (request_id, user_id, key_id, amount, key_amount, model_id, estimate, owner, expires_at, created_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
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
  );
  return 'held';
}

type OpenHold = Pick<HoldRow, 'user_id' | 'key_id' | 'amount' | 'key_amount'>;

function settleOne(db: Database, { request_id, log }: SettleRow, sums: UsageSums): Settled {
  const hold = db
    .query<OpenHold, [string]>(
      'delete from billing_holds where request_id = ? returning user_id, key_id, amount, key_amount',
    )
    .get(request_id);
  if (!hold) return { settled: false, charged: 0, shortfall: 0 };
  const cost = log?.quota ?? 0;
  const charged = cost <= hold.amount ? cost : Math.min(cost, hold.amount + balanceOf(db, hold.user_id));
  const balance = db
    .query<{ quota: number }, [number, number, number]>(
      'update users set quota = quota + ?1, used_quota = used_quota + ?2 where id = ?3 returning quota',
    )
    .get(hold.amount - charged, charged, hold.user_id);
  // A key that lost its quota limit meanwhile keeps what it has; one that overruns stops at zero.
  if (hold.key_id > 0)
    db.query(
      'update api_keys set remain_quota = case when ?1 >= 0 then max(0, remain_quota + ?1 - ?2) else remain_quota end, used_quota = used_quota + ?2 where id = ?3',
    ).run(hold.key_amount, charged, hold.key_id);
  const shortfall = cost - charged;
  if (log) {
    const row = { ...log, quota: charged, shortfall };
    if (charged > 0) writeLedger(db, row, balance?.quota ?? 0);
    logUsage(db, row, sums);
  }
  return { settled: true, charged, shortfall };
}

const balanceOf = (db: Database, userId: number): number =>
  db.query<{ quota: number }, [number]>('select quota from users where id = ?').get(userId)?.quota ?? 0;

function writeLedger(db: Database, row: UsageRow, balance: number): void {
  db.query(
    `insert into ledger (user_id, kind, amount, balance_after, request_id, key_id, model_id, shortfall, note, actor_id, created_at)
     values (?, 'usage', ?, ?, ?, ?, ?, ?, '', 0, ?)`,
  ).run(row.user_id, -row.quota, balance, row.request_id, row.key_id, row.model_id, row.shortfall, row.created_at);
}

const usageColumns = [
  'request_id',
  'user_id',
  'key_id',
  'model_id',
  'endpoint',
  'provider',
  'channel_id',
  'prompt_tokens',
  'completion_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'units',
  'quota',
  'shortfall',
  'stream',
  'status',
  'duration_ms',
  'first_token_ms',
  'created_at',
] as const satisfies (keyof UsageRow)[];
const insertUsage = `insert into usage_logs (${usageColumns.join(', ')}) values (${usageColumns.map(() => '?').join(', ')})`;

function logUsage(db: Database, row: UsageRow, sums: UsageSums): void {
  db.query(insertUsage).run(...usageColumns.map((column) => row[column]));
  sums.add(row);
}
