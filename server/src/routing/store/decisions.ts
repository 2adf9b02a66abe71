import type { Insertable, Selectable } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import type { DecisionTable } from './tables.ts';

export type NewDecision = Insertable<DecisionTable>;
export type DecisionRow = Selectable<DecisionTable>;

export interface DecisionFilter {
  /** Absent: of all users. */
  userId?: number;
  requestId?: string;
  modelId?: string;
}

/** Counting stops here: the total is for the pager, and counting millions would stop every stream on SQLite. */
const countedAtMost = 10_000;

export async function insertDecisions(db: Db, rows: readonly NewDecision[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('routing_decisions').values(rows).execute();
}

function filtered(db: Db, filter: DecisionFilter) {
  let query = db.selectFrom('routing_decisions');
  if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId);
  if (filter.requestId !== undefined) query = query.where('request_id', '=', filter.requestId);
  if (filter.modelId !== undefined) query = query.where('model_id', '=', filter.modelId);
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
      eb.selectFrom('routing_decisions').select('id').where('created_at', '<', before).orderBy('id').limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
