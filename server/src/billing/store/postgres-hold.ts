import { sql } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import { isRefused, isTaken } from '../../platform/durable/errors.ts';
import type { HoldOutcome, HoldRow } from './port.ts';

/** Optimistic: one statement that takes all or fails; only a batch in which something does not fit is decided row by row. */
export async function holdTogether(db: Db, rows: HoldRow[]): Promise<HoldOutcome[]> {
  try {
    await holdAll(db, rows);
    return rows.map(() => 'held' as const);
  } catch (error) {
    // A balance is short, or a request has its hold already.
    if (!isRefused(error) && !isTaken(error)) throw error;
    return holdThoseThatFit(db, rows);
  }
}

const holdFields = `request_id text, user_id bigint, key_id bigint, amount bigint, key_amount bigint, model_id text,
  estimate text, owner text, expires_at bigint, created_at bigint`;
const holdNames = holdFields
  .split(',')
  .map((field) => field.trim().split(' ')[0])
  .join(', ');

async function holdAll(db: Db, rows: HoldRow[]): Promise<void> {
  await sql`
    with given as materialized (
      select * from json_to_recordset((${JSON.stringify(rows)}::text)::json) as r(${sql.raw(holdFields)})
    ), by_user as materialized (
      select user_id, sum(amount)::bigint as total from given group by user_id
    ), by_key as materialized (
      select key_id, sum(key_amount)::bigint as total from given where key_amount > 0 group by key_id
    ), locked_users as materialized (
      select id from users where id in (select user_id from by_user) order by id for no key update
    ), locked_keys as materialized (
      select id from api_keys where id in (select key_id from by_key) and (select count(*) from locked_users) >= 0
      order by id for no key update
    ), u as (
      update users set quota = users.quota - t.total from by_user t, locked_users l
      where users.id = t.user_id and l.id = users.id and users.quota >= t.total returning 1
    ), k as (
      update api_keys set remain_quota = remain_quota - t.total from by_key t, locked_keys l
      where api_keys.id = t.key_id and l.id = api_keys.id and remain_quota >= t.total returning 1
    ), h as (
      insert into billing_holds (${sql.raw(holdNames)}) select ${sql.raw(holdNames)} from given
    )
    select 1 / (case when (select count(*) from u) = (select count(*) from by_user)
      and (select count(*) from k) = (select count(*) from by_key) then 1 else 0 end)`.execute(db);
}

interface Balance {
  id: number;
  left: number;
}

/** Locks the balances, then lets those that fit through in order of arrival. */
async function holdThoseThatFit(db: Db, rows: HoldRow[]): Promise<HoldOutcome[]> {
  return db.transaction().execute(async (tx) => {
    const json = (values: unknown[]) => sql`json_array_elements_text((${JSON.stringify(values)}::text)::json)`;
    const ids = (values: number[]) => sql`(select value::bigint from ${json([...new Set(values)])} as value)`;
    const users =
      await sql<Balance>`select id, quota as "left" from users where id in ${ids(rows.map((r) => r.user_id))}
      order by id for no key update`.execute(tx);
    const keys = await sql<Balance>`select id, remain_quota as "left" from api_keys
      where id in ${ids(rows.map((r) => r.key_id))} order by id for no key update`.execute(tx);
    const open = await sql<{ request_id: string }>`select request_id from billing_holds
      where request_id in (select value from ${json(rows.map((r) => r.request_id))} as value)`.execute(tx);
    const decided = decide(
      rows,
      balancesOf(users.rows),
      balancesOf(keys.rows),
      new Set(open.rows.map((r) => r.request_id)),
    );
    if (decided.fresh.length > 0) await holdAll(tx, decided.fresh);
    return decided.outcomes;
  });
}

const balancesOf = (rows: Balance[]): Map<number, number> => new Map(rows.map((row) => [row.id, row.left]));

function decide(rows: HoldRow[], users: Map<number, number>, keys: Map<number, number>, open: Set<string>) {
  const fresh: HoldRow[] = [];
  const outcomes = rows.map((row): HoldOutcome => {
    if (open.has(row.request_id)) return 'held';
    const balance = users.get(row.user_id) ?? -1;
    if (balance < row.amount) return 'user_short';
    if (row.key_amount > 0) {
      const left = keys.get(row.key_id) ?? -1;
      if (left < row.key_amount) return 'key_short';
      keys.set(row.key_id, left - row.key_amount);
    }
    users.set(row.user_id, balance - row.amount);
    open.add(row.request_id);
    fresh.push(row);
    return 'held';
  });
  return { fresh, outcomes };
}
