import { type RawBuilder, sql } from 'kysely';
import { arrayText } from '../../platform/db/postgres-array.ts';
import type { Db } from '../../platform/db/tables.ts';
import { isConditionFailed } from '../../platform/durable/errors.ts';
import type {
  AllotmentChange,
  AllotmentStore,
  ChargeBatch,
  GiveBack,
  ProgressRow,
  TopUp,
  TopUpRequest,
  Turn,
} from './port.ts';
import { usageNames, usageRows } from './postgres-usage.ts';

/**
 * A batch is one statement with its rows as arrays or JSON: one round trip and one commit for any number of rows. Rows of
 * users and keys are shared by all processes and always locked by id in the order users, keys, budget windows. All
 * other rows belong to the writing process.
 */
export function postgresAllotmentStore(db: Db): AllotmentStore {
  return {
    topUp: (turn, asks) => unlessRefused(topUp(db, turn, asks)),
    charge: (turn, batch) => unlessRefused(charge(db, turn, batch)),
    giveBack: (turn, allotments) => unlessRefused(giveBack(db, turn, allotments)),
    progress: (turn, rows) => unlessRefused(progress(db, turn, rows)),
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
    select taken, "left" - taken as "left", (select coalesce(sum(kept), 0) from billing_purses o
        where o.user_id = t.user_id and o.key_id = t.key_id and o.owner <> ${turn.owner})::bigint as elsewhere,
      ${onlyInTurn} as turn
    from taken t order by n`.execute(db);
  return rows.map(({ taken, elsewhere, left }) => ({
    ...{ taken: Number(taken), elsewhere: Number(elsewhere), left: Number(left) },
  }));
}

const changeNames = ['user_id', 'key_id', 'paid', 'used', 'requests'] as const;

function changesOf(changes: AllotmentChange[]): RawBuilder<unknown> {
  const arrays = changeNames.map((name) => sql`${arrayText(changes.map((change) => change[name]))}::bigint[]`);
  return sql`(select * from unnest(${sql.join(arrays)}) as changes(${sql.raw(changeNames.join(', '))}))`;
}

const keptFields = 'work text, call text, request_id text, user_id bigint, created_at bigint, body text';
const keptNames = 'work, call, request_id, user_id, created_at, body';

async function charge(db: Db, turn: Turn, { logs, allotments, ended, kept }: ChargeBatch): Promise<true> {
  const { owner } = turn;
  const gone =
    ended.length === 0
      ? sql``
      : sql`gone as (delete from billing_holds where request_id in
          (select json_array_elements_text((${JSON.stringify(ended)}::text)::json))),`;
  const answers = kept
    ? sql`answers as (insert into kept_answers (${sql.raw(keptNames)})
        select ${sql.raw(keptNames)} from ${rowsOf(kept, keptFields)} as rows on conflict (work, call) do nothing),`
    : sql``;
  await sql`
    with ${takeTurn(turn)}, ${gone} ${answers}
    given as materialized ${usageRows(logs)},
    changes as materialized ${changesOf(allotments)},
    allotments as (
      insert into billing_purses (owner, user_id, key_id, kept, used, requests)
      select ${owner}, user_id, key_id, -paid, used, requests from changes
      on conflict (owner, user_id, key_id) do update set kept = billing_purses.kept + excluded.kept,
        used = billing_purses.used + excluded.used, requests = billing_purses.requests + excluded.requests
    ), balances as materialized (
      select u.id, u.quota + coalesce((select sum(kept) from billing_purses o
        where o.user_id = u.id and o.key_id = 0 and o.owner <> ${owner}), 0)::bigint as elsewhere
      from users u where u.id in (select user_id from given where quota > 0)
    ), logged as (
      insert into usage_logs (${sql.raw(usageNames)}) select ${sql.raw(withBalance)}
      from given g left join balances b on b.id = g.user_id order by n
    ), days as (
      insert into usage_days_open
        (owner, user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota)
      select ${owner}, user_id, created_at / 86400, model_id, key_id, count(*), sum(prompt_tokens),
        sum(completion_tokens), sum(quota)
      from given group by user_id, created_at / 86400, model_id, key_id
      on conflict (owner, user_id, day, model_id, key_id) do update set
        requests = usage_days_open.requests + excluded.requests,
        prompt_tokens = usage_days_open.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = usage_days_open.completion_tokens + excluded.completion_tokens,
        quota = usage_days_open.quota + excluded.quota
    )
    select ${onlyInTurn}`.execute(db);
  return true;
}

const withBalance = usageNames
  .split(', ')
  .map((name) =>
    name === 'balance_after'
      ? 'case when g.quota > 0 then g.balance_after + coalesce(b.elsewhere, 0) else 0 end'
      : `g.${name}`,
  )
  .join(', ');

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
