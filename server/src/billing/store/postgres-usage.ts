import { CompiledQuery } from 'kysely';
import { arrayText, integersText } from '../../platform/db/postgres-array.ts';
import { execute } from '../../platform/db/statement.ts';
import type { Db } from '../../platform/db/tables.ts';
import { type UsageRow, usageColumns } from './port.ts';

/** The columns of a usage row that are not integers. */
const otherTypes = {
  request_id: 'text',
  model_id: 'text',
  endpoint: 'text',
  provider: 'text',
  units: 'double precision',
  cost_parts: 'text',
  status: 'text',
  parent_request_id: 'text',
} as const satisfies Partial<Record<keyof UsageRow, string>>;
type Other = keyof typeof otherTypes;
const others = Object.keys(otherTypes) as Other[];
const integers = usageColumns.filter((name): name is Exclude<typeof name, Other> => !(name in otherTypes));

/**
 * Most columns are small integers: in one array, row after row, the server reads them at once and finds each by its
 * place, which costs it a fraction of reading JSON.
 */
function parametersOf(rows: readonly UsageRow[]): string[] {
  const flat: number[] = [];
  for (const row of rows) for (const name of integers) flat.push(row[name]);
  return [integersText(flat), ...others.map((name) => arrayText(rows.map((row) => row[name])))];
}

const places = integers.map((name, i) => `($1::bigint[])[(n - 1) * ${integers.length} + ${i + 1}] as ${name}`);
const arrays = others.map((name, i) => `$${i + 2}::${otherTypes[name]}[]`);
const sums = 'count(*), sum(prompt_tokens), sum(completion_tokens), sum(quota)';

/** Numbered by `n` in their order. Days are locked in the order of their keys, as everywhere. */
const insert = CompiledQuery.raw(`with given as materialized (
    select n, ${others.join(', ')}, ${places.join(', ')}
    from unnest(${arrays.join(', ')}) with ordinality as rows(${others.join(', ')}, n)
  ), logged as (
    insert into usage_logs (${usageColumns.join(', ')}) select ${usageColumns.join(', ')} from given order by n
  )
  insert into usage_days (user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota)
  select user_id, created_at / 86400, model_id, key_id, ${sums} from given group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (user_id, day, model_id, key_id) do update set requests = usage_days.requests + excluded.requests,
    prompt_tokens = usage_days.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = usage_days.completion_tokens + excluded.completion_tokens,
    quota = usage_days.quota + excluded.quota`);

/** Adds entries to the log and to the sums of their days. */
export async function insertUsage(db: Db, rows: readonly UsageRow[]): Promise<void> {
  if (rows.length > 0) await execute(db, insert, parametersOf(rows));
}
