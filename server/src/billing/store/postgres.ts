import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import { isConditionFailed } from '../../platform/durable/errors.ts';
import type { AllotmentStore, GiveBack, ProgressRow, TopUp, TopUpRequest, Turn } from './port.ts';
import { chargeBatch } from './postgres-charge.ts';

/**
 * A batch is one statement with its rows as arrays or JSON: one round trip and one commit for any number of rows. Rows of
 * users and keys are shared by all processes and always locked by id in the order users, keys, budget windows. All
 * other rows belong to the writing process. `noted` is called when the journal may have new entries.
 */
export function postgresAllotmentStore(db: Db, noted = () => {}): AllotmentStore {
  return {
    topUp: (turn, asks) => unlessRefused(topUp(db, turn, asks)),
    charge: (turn, batch) => unlessRefused(chargeBatch(db, turn, batch)).finally(noted),
    giveBack: (turn, allotments) => unlessRefused(giveBack(db, turn, allotments)),
    progress: (turn, rows) => unlessRefused(progress(db, turn, rows)),
    addUp: (turn) => unlessRefused(addUp(db, turn)),
  };
}

/** A statement divides by zero if it is not its turn, which rolls back everything else it did. */
async function unlessRefused<T>(running: Promise<T>): Promise<T | null> {
  try {
    return await running;
  } catch (error) {
    if (isConditionFailed(error)) return null;
    throw error;
  }
}

const takeTurn = ({ owner, batch, after }: Turn): RawBuilder<unknown> =>
  sql`turn as (update billing_writers set batch = ${batch}::bigint where owner = ${owner} and batch = ${after}::bigint returning 1)`;
const onlyInTurn = sql.raw('1 / (select count(*) from turn)');

const rowsOf = (rows: unknown[], fields: string): RawBuilder<unknown> =>
  sql`(select * from json_to_recordset((${JSON.stringify(rows)}::text)::json) as r(${sql.raw(fields)}))`;

async function topUp(db: Db, turn: Turn, asks: TopUpRequest[]): Promise<TopUp[]> {
  const given = asks.map((ask, n) => ({ ...ask, n }));
  const { rows } = await sql<TopUp>`
    with ${takeTurn(turn)},
    given as materialized ${rowsOf(given, 'n bigint, user_id bigint, key_id bigint, need bigint, least bigint, more boolean')},
    locked_users as materialized (
      select id, quota from users where id in (select user_id from given where key_id = 0) order by id for no key update
    ), locked_keys as materialized (
      select id, remain_quota from api_keys where id in (select key_id from given where key_id > 0)
        and (select count(*) from locked_users) >= 0 order by id for no key update
    ), locked_windows as materialized (
      select id, remain from budget_windows where id in (select -key_id from given where key_id < 0)
        and (select count(*) from locked_keys) >= 0 order by id for no key update
    ), sources as (
      select g.*, coalesce(u.quota, k.remain_quota, w.remain, 0) as "left" from given g
      left join locked_users u on g.key_id = 0 and u.id = g.user_id
      left join locked_keys k on g.key_id > 0 and k.id = g.key_id
      left join locked_windows w on g.key_id < 0 and w.id = -g.key_id
    ), taken as materialized (
      select n, user_id, key_id, "left", case when "left" > 0 and "left" >= least
        then least("left", greatest(need, case when more then "left" / (2 * greatest(1, (select count(*) from owners))) else 0 end))
        else 0 end as taken
      from sources
    ), u as (
      update users set quota = users.quota - t.taken from taken t, locked_users l
      where t.key_id = 0 and t.taken > 0 and users.id = t.user_id and l.id = users.id
    ), k as (
      update api_keys set remain_quota = api_keys.remain_quota - t.taken from taken t, locked_keys l
      where t.key_id > 0 and t.taken > 0 and api_keys.id = t.key_id and l.id = api_keys.id
    ), w as (
      update budget_windows set remain = budget_windows.remain - t.taken from taken t, locked_windows l
      where t.key_id < 0 and t.taken > 0 and budget_windows.id = -t.key_id and l.id = budget_windows.id
    ), p as (
      insert into billing_purses (owner, user_id, key_id, kept, used, requests)
      select ${turn.owner}, user_id, key_id, taken, 0, 0 from taken where taken > 0
      on conflict (owner, user_id, key_id) do update set kept = billing_purses.kept + excluded.kept
    )
    select taken, "left" - taken as "left", (select coalesce(sum(kept), 0) from billing_allotments o
        where o.user_id = t.user_id and o.key_id = t.key_id and o.owner <> ${turn.owner})::bigint as elsewhere,
      ${onlyInTurn} as turn
    from taken t order by n`.execute(db);
  return rows.map(({ taken, elsewhere, left }) => ({
    ...{ taken: Number(taken), elsewhere: Number(elsewhere), left: Number(left) },
  }));
}

async function addUp(db: Db, turn: Turn): Promise<true> {
  await sql`with ${takeTurn(turn)} select ${onlyInTurn}, svc_add_up_changes(${turn.owner})`.execute(db);
  return true;
}

async function giveBack(db: Db, turn: Turn, allotments: GiveBack[]): Promise<true> {
  const { owner } = turn;
  await sql`
    with ${takeTurn(turn)},
    given as materialized ${rowsOf(allotments, 'user_id bigint, key_id bigint, amount bigint, whole boolean')},
    locked_users as materialized (
      select id from users where id in (select user_id from given where key_id = 0) order by id for no key update
    ), locked_keys as materialized (
      select id from api_keys where id in (select key_id from given where key_id > 0)
        and (select count(*) from locked_users) >= 0 order by id for no key update
    ), locked_windows as materialized (
      select id from budget_windows where id in (select -key_id from given where key_id < 0)
        and (select count(*) from locked_keys) >= 0 order by id for no key update
    ), gone as (
      delete from billing_purses p using given g
      where g.whole and p.owner = ${owner} and p.user_id = g.user_id and p.key_id = g.key_id
      returning p.user_id, p.key_id, p.kept, p.used, p.requests
    ), parts as (
      update billing_purses p set kept = kept - g.amount, wanted = 0 from given g
      where not g.whole and p.owner = ${owner} and p.user_id = g.user_id and p.key_id = g.key_id
      returning p.user_id, p.key_id, g.amount as kept, 0::bigint as used, 0::bigint as requests
    ), back as materialized (select * from gone union all select * from parts),
    u as (
      update users set quota = users.quota + b.kept, used_quota = used_quota + b.used,
        request_count = request_count + b.requests
      from back b, locked_users l where b.key_id = 0 and users.id = b.user_id and l.id = users.id
    ), k as (
      update api_keys set remain_quota = remain_quota + b.kept, used_quota = used_quota + b.used
      from back b, locked_keys l where b.key_id > 0 and api_keys.id = b.key_id and l.id = api_keys.id
    ), w as (
      update budget_windows set remain = remain + b.kept, used = budget_windows.used + b.used
      from back b, locked_windows l where b.key_id < 0 and budget_windows.id = -b.key_id and l.id = budget_windows.id
    )
    select ${onlyInTurn}`.execute(db);
  return true;
}

const progressFields = `request_id text, user_id bigint, key_id bigint, amount bigint, key_amount bigint, model_id text,
  estimate text, owner text, expires_at bigint, created_at bigint, progress bigint, progress_usage text,
  levels text`;
const progressNames = progressFields
  .split(',')
  .map((field) => field.trim().split(' ')[0])
  .join(', ');

async function progress(db: Db, turn: Turn, rows: ProgressRow[]): Promise<true> {
  await sql`
    with ${takeTurn(turn)}, noted as (
      insert into billing_holds (${sql.raw(progressNames)})
      select ${sql.raw(progressNames)} from ${rowsOf(rows, progressFields)} as given
      on conflict (request_id) do update set progress = excluded.progress, progress_usage = excluded.progress_usage
    )
    select ${onlyInTurn}`.execute(db);
  return true;
}
