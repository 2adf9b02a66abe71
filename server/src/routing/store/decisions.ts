import { type Selectable, sql } from 'kysely';
import { insertMany } from '../../platform/db/insert-many.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { DecisionTable } from './tables.ts';

export type DecisionRow = Selectable<DecisionTable>;

export interface DecisionFilter {
  /** Absent: of all users. */
  userId?: number;
  requestId?: string;
  modelId?: string;
}

/** Counting stops here: the total is for the pager, and counting millions would stop every stream on SQLite. */
const countedAtMost = 10_000;
const searchedAtMost = 100_000;

export const decisionColumns = [
  'request_id',
  'user_id',
  'model_id',
  'provider',
  'channel_id',
  'strategy',
  'reason',
  'outcome',
  'duration_ms',
  'candidates',
  'attempts',
  'created_at',
] as const satisfies (keyof DecisionTable)[];

/** `values` go row after row, in the order of the columns. */
export const insertDecisions = (db: Db, values: unknown[]): Promise<void> =>
  insertMany(db, 'routing_decisions', decisionColumns, values);

function filtered(db: Db, filter: DecisionFilter) {
  let query = db.selectFrom('routing_decisions');
  if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId);
  if (filter.requestId !== undefined) query = query.where('request_id', '=', filter.requestId);
  if (filter.modelId === undefined) return query;
  query = query.where('model_id', '=', filter.modelId);
  // There is no index by model: each costs every request. Without one, only the newest rows are looked through.
  if (filter.userId === undefined && filter.requestId === undefined)
    query = query.where('id', '>', (eb) =>
      eb
        .selectFrom('routing_decisions')
        .select(({ fn }) => sql<number>`${fn.max('id')} - ${searchedAtMost}`.as('first')),
    );
  return query;
}

/** Newest first. */
export async function listDecisions(
  db: Db,
  filter: DecisionFilter,
  page: { offset: number; limit: number },
): Promise<{ rows: DecisionRow[]; total: number }> {
  const rows = await filtered(db, filter)
    .selectAll()
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  const counted = await db
    .selectFrom(filtered(db, filter).select('id').limit(countedAtMost).as('some'))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(counted.total) };
}

/** Deletes at most `limit` of those older than `before`; returns how many went. */
export async function sweepDecisions(db: Db, before: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('routing_decisions')
    .where('id', 'in', (eb) =>
      // Ids grow with time, so the oldest come first and nothing else has to be looked at.
      eb
        .selectFrom(
          eb.selectFrom('routing_decisions').select(['id', 'created_at']).orderBy('id').limit(limit).as('oldest'),
        )
        .select('id')
        .where('created_at', '<', before),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
