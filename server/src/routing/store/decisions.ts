import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely';
import { pageOfMany, type Range } from '../../platform/db/list-page.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import type { ChoiceTable, DecisionTable } from './tables.ts';

export type DecisionRow = Selectable<DecisionTable>;
export type NewChoice = Insertable<ChoiceTable>;

export interface DecisionFilter {
  /** Absent for all users. */
  userId?: number;
  requestId?: string;
  parentRequestId?: string;
  modelId?: string;
}

/** Filtering a user's decisions by model scans this many of the newest: an index by both would cost every request. */
const searchedAtMost = 1_000;

export async function insertChoice(db: Db, choice: NewChoice): Promise<number> {
  const { id } = await db.insertInto('routing_choices').values(choice).returning('id').executeTakeFirstOrThrow();
  return Number(id);
}

/** Fills in the texts of choices that several decisions share. */
export async function withChoices(db: Db, rows: DecisionRow[]): Promise<DecisionRow[]> {
  const ids = new Set(rows.map((row) => row.choice_id).filter((id) => id !== null));
  if (ids.size === 0) return rows;
  const choices = await db
    .selectFrom('routing_choices')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
  const byId = new Map(choices.map(({ id, strategy, reason, candidates }) => [id, { strategy, reason, candidates }]));
  return rows.map((row) => ({ ...row, ...(row.choice_id !== null && byId.get(row.choice_id)) }));
}

function filtered(db: Db, filter: DecisionFilter) {
  let query = db.selectFrom('routing_decisions');
  if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId);
  if (filter.requestId !== undefined) query = query.where('request_id', '=', filter.requestId);
  const { parentRequestId } = filter;
  if (parentRequestId !== undefined) query = query.where('parent_request_id', '=', parentRequestId);
  if (filter.modelId === undefined) return query;
  if (filter.userId === undefined || filter.requestId !== undefined || parentRequestId !== undefined)
    return query.where('model_id', '=', filter.modelId);
  // The `+` makes SQLite use the index by user, since it cannot tell which is more selective; PostgreSQL can.
  const model = engineOf(db) === 'sqlite' ? sql`+${sql.ref('model_id')}` : sql.ref('model_id');
  return query.where(sql<SqlBool>`${model} = ${filter.modelId}`).where('id', '>', (eb) => {
    const last = eb.selectFrom('routing_decisions').select('id').where('user_id', '=', filter.userId!);
    return eb.fn.coalesce(last.orderBy('id', 'desc').limit(1).offset(searchedAtMost), eb.val(0));
  });
}

/** The decisions of these requests, newest first. */
export async function decisionsOf(db: Db, requestIds: string[]): Promise<DecisionRow[]> {
  if (requestIds.length === 0) return [];
  const rows = await db
    .selectFrom('routing_decisions')
    .selectAll()
    .where('request_id', 'in', requestIds)
    .orderBy('id', 'desc')
    .execute();
  return withChoices(db, rows);
}

/** Newest first. */
export async function listDecisions(
  db: Db,
  filter: DecisionFilter,
  range: Range,
): Promise<{ rows: DecisionRow[]; total: number }> {
  const { rows, total } = await pageOfMany(db, filtered(db, filter).selectAll().orderBy('id', 'desc'), range);
  return { rows: await withChoices(db, rows), total };
}

/** Deletes at most `limit` decisions older than `before`; returns how many. */
export async function sweepDecisions(db: Db, before: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('routing_decisions')
    .where('id', 'in', (eb) =>
      // Ids grow with time, so only the first rows are read.
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

export async function sweepChoices(db: Db, before: number): Promise<void> {
  await db.deleteFrom('routing_choices').where('created_at', '<', before).execute();
}
