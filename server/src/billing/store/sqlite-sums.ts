import type { Database } from 'bun:sqlite';
import { prepared } from '../../platform/db/prepared.ts';
import { dayOf, type UsageRow } from './port.ts';

interface Sum {
  row: UsageRow;
  requests: number;
  promptTokens: number;
  completionTokens: number;
  quota: number;
}

const addToDay = `insert into usage_days (user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
  on conflict (user_id, day, model_id, key_id) do update set requests = requests + ?5,
    prompt_tokens = prompt_tokens + ?6, completion_tokens = completion_tokens + ?7, quota = quota + ?8`;

export function addToDays(db: Database, rows: readonly UsageRow[]): void {
  const add = prepared(db, addToDay);
  for (const { row, requests, promptTokens, completionTokens, quota } of sumsOf(rows)) {
    const day = dayOf(row.created_at);
    add.run(row.user_id, day, row.model_id, row.key_id, requests, promptTokens, completionTokens, quota);
  }
}

/** Sums up the batch first: most of its rows belong to the same few sums. */
function sumsOf(rows: readonly UsageRow[]): Sum[] {
  const sums: Sum[] = [];
  let sum: Sum | undefined;
  for (const row of rows) {
    // Most rows belong to the same sum as the one before.
    if (!sum || !together(sum.row, row)) sum = sumOf(sums, row);
    if (!sum) {
      sum = { row, requests: 0, promptTokens: 0, completionTokens: 0, quota: 0 };
      sums.push(sum);
    }
    sum.requests += 1;
    sum.promptTokens += row.prompt_tokens;
    sum.completionTokens += row.completion_tokens;
    sum.quota += row.quota;
  }
  return sums;
}

const sumOf = (sums: readonly Sum[], row: UsageRow): Sum | undefined => sums.find((one) => together(one.row, row));

const together = (a: UsageRow, b: UsageRow): boolean =>
  a.user_id === b.user_id &&
  a.key_id === b.key_id &&
  a.model_id === b.model_id &&
  dayOf(a.created_at) === dayOf(b.created_at);
