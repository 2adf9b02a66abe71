import { type RawBuilder, sql } from 'kysely';
import { arrayText, integersText } from '../../platform/db/postgres-array.ts';
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

export const usageNames = usageColumns.join(', ');

const selected = sql.raw(
  [...others, ...integers.map((name, i) => `integers[(n - 1) * ${integers.length} + ${i + 1}] as ${name}`)].join(', '),
);
const otherNames = sql.raw(others.join(', '));

/**
 * Usage rows out of a batch, numbered by `n` in their order. Most columns are small integers: in one array, row after
 * row, the server reads them at once and finds each by its place, which costs it a fraction of reading JSON.
 */
export function usageRows(rows: readonly UsageRow[]): RawBuilder<unknown> {
  const flat: number[] = [];
  for (const row of rows) for (const name of integers) flat.push(row[name]);
  const arrays = others.map((name) => sql`${arrayText(rows.map((row) => row[name]))}::${sql.raw(otherTypes[name])}[]`);
  return sql`(select n, ${selected} from (select ${integersText(flat)}::bigint[] as integers) as given,
    unnest(${sql.join(arrays)}) with ordinality as rows(${otherNames}, n))`;
}
