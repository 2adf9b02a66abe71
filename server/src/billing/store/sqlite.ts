import type { Database } from 'bun:sqlite';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { writeSync } from '../../platform/db/sqlite-dialect.ts';
import type { Db } from '../../platform/db/tables.ts';
import { indexEntriesNow } from './filing.ts';
import type {
  AllotmentChange,
  AllotmentStore,
  ChargeBatch,
  GiveBack,
  KeptRow,
  ProgressRow,
  TopUp,
  TopUpRequest,
  Turn,
  UsageRow,
} from './port.ts';
import { setBalances } from './set-balances.ts';
import { fileSomeSpans, isWorthFiling, noteWritten } from './sqlite-spans.ts';
import { logUsage } from './sqlite-usage.ts';

type Log = (writer: Database, rows: readonly UsageRow[]) => number;

/** A larger step would be cheaper per entry, but block other writers for longer. */
const filedAtOnce = 500;

/**
 * Prepared statements in one synchronous transaction: on SQLite a statement takes microseconds, the commit is what has
 * to be shared.
 */
export function sqliteAllotmentStore(db: Db): AllotmentStore {
  let unfiled = 0;
  const log: Log = (writer, rows) => {
    if (isWorthFiling(writer)) fileSomeSpans(writer);
    const last = logUsage(writer, rows);
    unfiled += rows.length;
    if (unfiled < filedAtOnce) return last;
    unfiled = 0;
    indexEntriesNow(writer);
    return last;
  };
  const inTurn = <T>({ owner, batch, after }: Turn, work: (writer: Database) => T): MaybePromise<T | null> =>
    writeSync(db, (writer) => {
      const turn = prepared(writer, 'update billing_writers set batch = ?1 where owner = ?2 and batch = ?3');
      return turn.run(batch, owner, after).changes === 1 ? work(writer) : null;
    });
  return {
    topUp: (turn, asks) => inTurn(turn, (writer) => asks.map((ask) => topUp(writer, turn.owner, ask))),
    charge: (turn, batch) => {
      let note = () => {};
      const charged = inTurn(turn, (writer) => {
        const last = charge(writer, turn.owner, batch, log);
        note = () => noteWritten(writer, batch.logs, last);
        return true as const;
      });
      return afterwards(charged, () => note());
    },
    giveBack: (turn, allotments) =>
      inTurn(turn, (writer) => {
        for (const allotment of allotments) giveBack(writer, turn.owner, allotment);
        return true as const;
      }),
    progress: (turn, rows) =>
      inTurn(turn, (writer) => {
        for (const row of rows) noteProgress(writer, row);
        return true as const;
      }),
  };
}

function afterwards<T>(now: MaybePromise<T>, work: () => void): MaybePromise<T> {
  if (now instanceof Promise)
    return now.then((value) => {
      work();
      return value;
    });
  work();
  return now;
}

/** The table an allotment is topped up from and its sums are added to. */
const sources = {
  user: {
    left: 'select quota as "left" from users where id = ?',
    take: 'update users set quota = quota - ? where id = ?',
    fold: 'update users set quota = quota + ?1, used_quota = used_quota + ?2, request_count = request_count + ?3 where id = ?4',
  },
  key: {
    left: 'select remain_quota as "left" from api_keys where id = ?',
    take: 'update api_keys set remain_quota = remain_quota - ? where id = ?',
    fold: 'update api_keys set remain_quota = remain_quota + ?1, used_quota = used_quota + ?2 where id = ?3',
  },
  window: {
    left: 'select remain as "left" from budget_windows where id = ?',
    take: 'update budget_windows set remain = remain - ? where id = ?',
    fold: 'update budget_windows set remain = remain + ?1, used = used + ?2 where id = ?3',
  },
};

function sourceOf(key_id: number) {
  if (key_id === 0) return sources.user;
  return key_id > 0 ? sources.key : sources.window;
}

function topUp(db: Database, owner: string, { user_id, key_id, need, least, more }: TopUpRequest): TopUp {
  const source = sourceOf(key_id);
  const id = Math.abs(key_id) || user_id;
  const left = prepared<{ left: number }, [number]>(db, source.left).get(id)?.left ?? 0;
  // A SQLite file has one process, so no other has reserved anything. Leave half for charges that bypass the allotment.
  const taken = left > 0 && left >= least ? Math.min(left, Math.max(need, more ? Math.floor(left / 2) : 0)) : 0;
  if (taken === 0) return { taken, elsewhere: 0, left };
  prepared(db, source.take).run(taken, id);
  change(db, owner, { user_id, key_id, paid: -taken, used: 0, requests: 0 });
  return { taken, elsewhere: 0, left: left - taken };
}

const changeAllotment = `insert into billing_purses (owner, user_id, key_id, kept, used, requests) values (?1, ?2, ?3, -?4, ?5, ?6)
  on conflict do update set kept = kept - ?4, used = used + ?5, requests = requests + ?6`;

function change(db: Database, owner: string, { user_id, key_id, paid, used, requests }: AllotmentChange): void {
  prepared(db, changeAllotment).run(owner, user_id, key_id, paid, used, requests);
}

function charge(db: Database, owner: string, { logs, allotments, ended, kept }: ChargeBatch, log: Log): number {
  for (const allotment of allotments) change(db, owner, allotment);
  setBalances(logs, balancesOf(db, allotments));
  const last = log(db, logs);
  for (const id of ended) prepared(db, 'delete from billing_holds where request_id = ?').run(id);
  if (kept) for (const row of kept) keep(db, row);
  return last;
}

const balanceNow = `select quota + coalesce((select sum(kept) from billing_purses p where p.user_id = users.id and p.key_id = 0), 0)
  + coalesce((select sum(amount) from billing_holds h where h.user_id = users.id and h.owner = ''), 0) as balance
  from users where id = ?`;

function balancesOf(db: Database, allotments: readonly AllotmentChange[]): Map<number, number> {
  const balances = new Map<number, number>();
  const find = prepared<{ balance: number }, [number]>(db, balanceNow);
  for (const { user_id, key_id, paid } of allotments)
    if (key_id === 0 && paid > 0) balances.set(user_id, find.get(user_id)?.balance ?? 0);
  return balances;
}

const keepAnswer = `insert into kept_answers (work, call, request_id, user_id, created_at, body)
  values (?1, ?2, ?3, ?4, ?5, ?6) on conflict do nothing`;

function keep(db: Database, { work, call, request_id, user_id, created_at, body }: KeptRow): void {
  prepared(db, keepAnswer).run(work, call, request_id, user_id, created_at, body);
}

function giveBack(db: Database, owner: string, { user_id, key_id, amount, whole }: GiveBack): void {
  const id = [owner, user_id, key_id] as const;
  if (!whole) {
    fold(db, user_id, key_id, { kept: amount, used: 0, requests: 0 });
    const part = 'update billing_purses set kept = kept - ?, wanted = 0 where owner = ? and user_id = ? and key_id = ?';
    prepared(db, part).run(amount, ...id);
    return;
  }
  const gone = prepared<Sums, [string, number, number]>(
    db,
    'delete from billing_purses where owner = ? and user_id = ? and key_id = ? returning kept, used, requests',
  ).get(...id);
  if (gone) fold(db, user_id, key_id, gone);
}

interface Sums {
  kept: number;
  used: number;
  requests: number;
}

/** Keys and budgets do not count requests. */
function fold(db: Database, userId: number, keyId: number, { kept, used, requests }: Sums): void {
  if (keyId === 0) prepared(db, sources.user.fold).run(kept, used, requests, userId);
  else prepared(db, sourceOf(keyId).fold).run(kept, used, Math.abs(keyId));
}

const writeProgress = `insert into billing_holds
  (request_id, user_id, key_id, amount, key_amount, model_id, estimate, owner, expires_at, created_at, progress,
   progress_usage, levels)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
  on conflict do update set progress = ?11, progress_usage = ?12`;

function noteProgress(db: Database, row: ProgressRow): void {
  prepared(db, writeProgress).run(
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
    row.progress,
    row.progress_usage,
    row.levels,
  );
}
