import { sql } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import type { Settled } from '../types.ts';
import { findHold } from './holds.ts';
import type { HoldStore, ProgressRow, SettleRow, UsageRow } from './port.ts';
import { holdTogether } from './postgres-hold.ts';
import { usageFields, writeUsage } from './postgres-usage.ts';

/** A batch is one statement with one parameter, a JSON array: one round trip and one commit, however many rows. */
export function postgresHoldStore(db: Db): HoldStore {
  let settled = 0;
  return {
    hold: (rows) => holdTogether(db, rows),
    settle: (rows) => {
      settled += rows.length;
      return settleTogether(db, rows);
    },
    record: (rows) => recordTogether(db, rows),
    progress: (rows) => updateProgress(db, rows),
    find: (requestId) => findHold(db, requestId),
    // Every hold has a row of its own here, and none is part of a sum.
    returnReserves: () => 0,
    tidy: async () => {
      if (settled < worthTidying) return;
      settled = 0;
      await tidyHolds(db);
    },
  };
}

const worthTidying = 1_000;

/**
 * Few holds are open and hundreds a second come and go, and each leaves its place taken until the table is vacuumed. The
 * server does so once a minute at most; by then whoever looks for a hold reads through the places of a hundred thousand.
 */
async function tidyHolds(db: Db): Promise<void> {
  await sql`vacuum (truncate false, skip_locked) billing_holds`.execute(db);
}

/** A cost above its hold needs the balance as others left it, so each such row goes alone. */
async function settleTogether(db: Db, rows: SettleRow[]): Promise<Settled[]> {
  // The same request twice in one batch: the first counts, and the second finds the hold gone.
  const seen = new Set<string>();
  const given = rows.filter(({ request_id }) => !seen.has(request_id) && seen.add(request_id));
  const alone = given.filter((row) => (row.log?.quota ?? 0) > row.amount);
  const together = given.filter((row) => (row.log?.quota ?? 0) <= row.amount);
  const found = new Map<string, Settled>();
  for (const part of [together, ...alone.map((row) => [row])])
    if (part.length > 0) for (const row of await settleStatement(db, part)) found.set(row.request_id, toSettled(row));
  return rows.map((row) => {
    const settled = found.get(row.request_id);
    found.delete(row.request_id);
    return settled ?? { settled: false, charged: 0, shortfall: 0 };
  });
}

interface SettledRow {
  request_id: string;
  charged: number;
  shortfall: number;
}
const toSettled = (row: SettledRow): Settled => ({
  settled: true,
  charged: Number(row.charged),
  shortfall: Number(row.shortfall),
});

/**
 * Users are locked before keys and both in order of their id, as in every other statement here: no deadlocks.
 * `no key update` lets rows that refer to a user be added meanwhile.
 */
async function settleStatement(db: Db, rows: SettleRow[]): Promise<SettledRow[]> {
  const batch = JSON.stringify(
    rows.map(({ request_id, log }, n) => ({ ...log, request_id, n, logged: log !== null, cost: log?.quota ?? 0 })),
  );
  const result = await sql<SettledRow>`
    with given as materialized (
      select * from json_to_recordset((${batch}::text)::json)
        as r(n bigint, logged boolean, cost bigint, ${sql.raw(usageFields)})
    ), gone as (
      delete from billing_holds h using given g where h.request_id = g.request_id
      returning h.request_id, h.user_id, h.key_id, h.amount, h.key_amount
    ), locked_users as materialized (
      select id, quota from users where id in (select user_id from gone) order by id for no key update
    ), locked_keys as materialized (
      select id from api_keys where id in (select key_id from gone) and (select count(*) from locked_users) >= 0
      order by id for no key update
    ), work as materialized (
      select g.n, g.cost, g.logged, h.*, least(g.cost, h.amount + u.quota) as charged
      from gone h join given g using (request_id) join locked_users u on u.id = h.user_id
    ), u as (
      update users set quota = users.quota + w.back, used_quota = used_quota + w.charged,
        request_count = request_count + w.requests
      from (select user_id, sum(amount - charged)::bigint as back, sum(charged)::bigint as charged,
          count(*) filter (where logged) as requests from work group by user_id) w, locked_users l
      where users.id = w.user_id and l.id = users.id
      returning users.id, users.quota
    ), k as (
      update api_keys set used_quota = used_quota + w.charged, remain_quota = greatest(0, remain_quota + w.back)
      from (select key_id, sum(charged)::bigint as charged,
          coalesce(sum(key_amount - charged) filter (where key_amount >= 0), 0)::bigint as back
        from work where key_id > 0 group by key_id) w, locked_keys l
      where api_keys.id = w.key_id and l.id = api_keys.id
    ), running as (
      select w.*, coalesce(sum(amount - charged) over (
        partition by user_id order by n rows between 1 following and unbounded following), 0)::bigint as later from work w
    ), used as (
      select ${sql.raw(usageColumnsFrom('g', chargedColumns))}, w.n
      from running w join given g using (request_id) join u on u.id = w.user_id where g.logged
    ), ${writeUsage}
    select request_id, charged, cost - charged as shortfall from work`.execute(db);
  return result.rows;
}

/** What only the statement knows: who was charged, how much, and what it left. */
const chargedColumns = {
  user_id: 'w.user_id',
  key_id: 'w.key_id',
  quota: 'w.charged',
  shortfall: 'w.cost - w.charged',
  balance_after: 'case when w.charged > 0 then u.quota - w.later else 0 end',
};

const usageNames = usageFields.split(',').map((field) => field.trim().split(' ')[0]!);

function usageColumnsFrom(alias: string, replaced: Record<string, string>): string {
  return usageNames.map((name) => (replaced[name] ? `${replaced[name]} as ${name}` : `${alias}.${name}`)).join(', ');
}

async function recordTogether(db: Db, rows: UsageRow[]): Promise<void> {
  const batch = JSON.stringify(rows.map((row, n) => ({ ...row, n })));
  await sql`
    with used as materialized (
      select * from json_to_recordset((${batch}::text)::json) as r(n bigint, ${sql.raw(usageFields)})
    ), locked_users as materialized (
      select id from users where id in (select user_id from used) order by id for no key update
    ), u as (
      update users set request_count = request_count + w.requests
      from (select user_id, count(*) as requests from used group by user_id) w, locked_users l
      where users.id = w.user_id and l.id = users.id
    ), ${writeUsage}
    select 1`.execute(db);
}

async function updateProgress(db: Db, rows: ProgressRow[]): Promise<void> {
  await sql`
    with given as materialized (
      select * from json_to_recordset((${JSON.stringify(rows)}::text)::json)
        as r(request_id text, progress bigint, usage text)
    ), locked as materialized (
      select request_id from billing_holds where request_id in (select request_id from given)
      order by request_id for no key update
    )
    update billing_holds h set progress = g.progress, progress_usage = g.usage
    from given g, locked l where h.request_id = g.request_id and l.request_id = h.request_id`.execute(db);
}
