import { CompiledQuery } from 'kysely';
import { arrayText, integersText } from '../../platform/db/postgres-array.ts';
import { execute } from '../../platform/db/statement.ts';
import type { Db } from '../../platform/db/tables.ts';
import { type ChargeBatch, type Turn, usageColumns } from './port.ts';
import { usageParameterCount, usageParameters, usageRows } from './postgres-usage.ts';

const changeNames = ['user_id', 'key_id', 'paid', 'used', 'requests'] as const;
const keptFields = 'work text, call text, request_id text, user_id bigint, created_at bigint, body text';
const keptNames = 'work, call, request_id, user_id, created_at, body';

const balanceAfter = 'case when g.quota > 0 then g.balance_after + coalesce(b.elsewhere, 0) else 0 end';
const loggedColumns = usageColumns.map((name) => (name === 'balance_after' ? balanceAfter : `g.${name}`));

const usageFirst = 4;
const changesFirst = usageFirst + usageParameterCount;
const otherFirst = changesFirst + changeNames.length;

/** Built once for each of these: the text is long, and building it would cost more than its parameters. */
const statements = new Map<string, CompiledQuery>();

export async function chargeBatch(db: Db, turn: Turn, { logs, allotments, ended, kept }: ChargeBatch): Promise<true> {
  const name = `${ended.length > 0} ${kept !== undefined}`;
  let statement = statements.get(name);
  if (!statement) {
    statement = CompiledQuery.raw(chargeText(ended.length > 0, kept !== undefined));
    statements.set(name, statement);
  }
  const parameters: unknown[] = [turn.batch, turn.owner, turn.after, ...usageParameters(logs)];
  for (const field of changeNames) parameters.push(integersText(allotments.map((change) => change[field])));
  if (ended.length > 0) parameters.push(arrayText(ended));
  if (kept) parameters.push(JSON.stringify(kept));
  await execute(db, statement, parameters);
  return true;
}

/** `$1` is the batch, `$2` the owner, `$3` the batch before. */
function chargeText(hasEnded: boolean, hasKept: boolean): string {
  const gone = `gone as (delete from billing_holds where request_id = any($${otherFirst}::text[])),`;
  const keptAt = otherFirst + Number(hasEnded);
  const answers = `answers as (insert into kept_answers (${keptNames}) select ${keptNames}
    from json_to_recordset(($${keptAt}::text)::json) as rows(${keptFields}) on conflict (work, call) do nothing),`;
  const changes = changeNames.map((_, i) => `$${changesFirst + i}::bigint[]`).join(', ');
  return `with turn as (
      update billing_writers set batch = $1::bigint where owner = $2 and batch = $3::bigint returning 1
    ), ${hasEnded ? gone : ''} ${hasKept ? answers : ''}
    given as materialized (${usageRows(usageFirst)}),
    allotments as (
      insert into billing_purses (owner, user_id, key_id, kept, used, requests)
      select $2, user_id, key_id, -paid, used, requests from unnest(${changes}) as changes(${changeNames.join(', ')})
      on conflict (owner, user_id, key_id) do update set kept = billing_purses.kept + excluded.kept,
        used = billing_purses.used + excluded.used, requests = billing_purses.requests + excluded.requests
    ), balances as materialized (
      select u.id, u.quota + coalesce((select sum(kept) from billing_purses o
        where o.user_id = u.id and o.key_id = 0 and o.owner <> $2), 0)::bigint as elsewhere
      from users u where u.id in (select user_id from given where quota > 0)
    ), logged as (
      insert into usage_logs (${usageColumns.join(', ')}) select ${loggedColumns.join(', ')}
      from given g left join balances b on b.id = g.user_id order by n
    ), days as (
      insert into usage_days_open
        (owner, user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota)
      select $2, user_id, created_at / 86400, model_id, key_id, count(*), sum(prompt_tokens),
        sum(completion_tokens), sum(quota)
      from given group by user_id, created_at / 86400, model_id, key_id
      on conflict (owner, user_id, day, model_id, key_id) do update set
        requests = usage_days_open.requests + excluded.requests,
        prompt_tokens = usage_days_open.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = usage_days_open.completion_tokens + excluded.completion_tokens,
        quota = usage_days_open.quota + excluded.quota
    )
    select 1 / (select count(*) from turn)`;
}
