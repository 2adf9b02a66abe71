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

/**
 * The parameters of `usageRows`. Most columns are small integers: in one array, row after row, the server reads them at
 * once and finds each by its place, which costs it a fraction of reading JSON.
 */
export function usageParameters(rows: readonly UsageRow[]): string[] {
  const flat: number[] = [];
  for (const row of rows) for (const name of integers) flat.push(row[name]);
  return [integersText(flat), ...others.map((name) => arrayText(rows.map((row) => row[name])))];
}

export const usageParameterCount = 1 + others.length;

/** Selects usage rows, numbered by `n` in their order, from the parameters that start at `$first`. */
export function usageRows(first: number): string {
  const places = integers.map((name, i) => `($${first}::bigint[])[(n - 1) * ${integers.length} + ${i + 1}] as ${name}`);
  const arrays = others.map((name, i) => `$${first + 1 + i}::${otherTypes[name]}[]`);
  return `select n, ${others.join(', ')}, ${places.join(', ')}
    from unnest(${arrays.join(', ')}) with ordinality as rows(${others.join(', ')}, n)`;
}
