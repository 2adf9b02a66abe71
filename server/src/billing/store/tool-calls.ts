import { sql } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import { catchUp } from './filing.ts';
import { firstWholeDay } from './usage-totals.ts';
import './tables.ts';

/** Prefix of MCP tool calls in the log, in the column where requests have the model's name. */
export const toolPrefix = 'mcp/';

/** Both days inclusive. */
export interface Days {
  firstDay: number;
  lastDay: number;
}

/** The tools that were called, most called first; from the totals of all users, which are few rows. */
export async function toolsCalled(db: Db, { firstDay, lastDay }: Days, most: number): Promise<string[]> {
  await catchUp(db);
  const table = firstDay >= (await firstWholeDay(db)) ? 'usage_totals_all' : 'usage_days_all';
  const rows = await db
    .selectFrom(table)
    .where('day', '>=', firstDay)
    .where('day', '<=', lastDay)
    // Not a range, because collations order slashes differently, nor `like`, which ignores case on SQLite.
    .where(sql<string>`substr(model_id, 1, ${sql.lit(toolPrefix.length)})`, '=', toolPrefix)
    .select((e) => ['model_id', e.fn.sum<number>('requests').as('calls')])
    .groupBy('model_id')
    .orderBy(sql`2 desc`)
    .orderBy('model_id')
    .limit(most)
    .execute();
  return rows.map(({ model_id }) => model_id);
}

/** Who called a tool and how often, most calls first. */
export async function callersOf(
  db: Db,
  modelId: string,
  { firstDay, lastDay }: Days,
  most: number,
): Promise<{ userId: number; calls: number }[]> {
  await catchUp(db);
  const rows = await db
    .selectFrom('usage_days_all')
    .where('model_id', '=', modelId)
    .where('day', '>=', firstDay)
    .where('day', '<=', lastDay)
    .select((e) => ['user_id', e.fn.sum<number>('requests').as('calls')])
    .groupBy('user_id')
    .orderBy(sql`2 desc`)
    .orderBy('user_id')
    .limit(most)
    .execute();
  return rows.map(({ user_id, calls }) => ({ userId: user_id, calls: Number(calls) }));
}
