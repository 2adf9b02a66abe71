import { type SqlBool, sql } from 'kysely';
import { deleteRows } from '../../platform/db/delete-rows.ts';
import { findRow } from '../../platform/db/find-row.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { BudgetRow, Level, LimitRow } from './tables.ts';
import './tables.ts';

/** A level and its id. */
export interface LevelPlace {
  level: Level;
  level_id: number;
}

/** Budgets and limits of deleted keys apply to nothing any more. */
const ofLivingKeys = sql<SqlBool>`(level <> 'key' or level_id in (select id from api_keys))`;

export const listBudgets = (db: Db, organisationId: number): Promise<BudgetRow[]> =>
  db
    .selectFrom('organisation_budgets')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where(ofLivingKeys)
    .orderBy('id')
    .limit(10_000)
    .execute();

/** Deletes those of deleted keys, so that they do not pile up. */
export async function forgetDeletedKeys(db: Db, organisationId: number): Promise<void> {
  for (const table of ['organisation_budgets', 'organisation_limits'] as const)
    await db
      .deleteFrom(table)
      .where('organisation_id', '=', organisationId)
      .where((e) => e.not(ofLivingKeys))
      .execute();
}

export const budgetsAt = (db: Db, organisationId: number, places: LevelPlace[]): Promise<BudgetRow[]> =>
  db
    .selectFrom('organisation_budgets')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where((e) => e.or(places.map(({ level, level_id }) => e.and({ level, level_id }))))
    .orderBy('id')
    .execute();

export const findBudget = (db: Db, organisationId: number, id: number): Promise<BudgetRow | null> =>
  findRow(db, 'organisation_budgets', { id, organisation_id: organisationId });

/** Locks it until the transaction ends; null if it is gone. */
export async function holdBudget(tx: Db, id: number): Promise<BudgetRow | null> {
  const row = await tx
    .updateTable('organisation_budgets')
    .set({ id })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export const findBudgets = (db: Db, ids: number[]): Promise<BudgetRow[]> =>
  db.selectFrom('organisation_budgets').selectAll().where('id', 'in', ids).execute();

/** Null if there is one for the same window. */
export async function insertBudget(db: Db, budget: Omit<BudgetRow, 'id'>): Promise<BudgetRow | null> {
  const row = await db
    .insertInto('organisation_budgets')
    .values(budget)
    .onConflict((c) => c.columns(['organisation_id', 'level', 'level_id', 'span']).doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export async function changeBudget(
  tx: Db,
  id: number,
  change: Partial<Pick<BudgetRow, 'amount' | 'hard' | 'alerts'>>,
): Promise<BudgetRow | null> {
  const row = await tx
    .updateTable('organisation_budgets')
    .set({ ...change, id })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export const deleteBudget = (db: Db, organisationId: number, id: number): Promise<boolean> =>
  deleteRows(db, 'organisation_budgets', { id, organisation_id: organisationId });

export const listLimits = (db: Db, organisationId: number): Promise<LimitRow[]> =>
  db
    .selectFrom('organisation_limits')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where(ofLivingKeys)
    .limit(10_000)
    .execute();

export const limitsAt = (db: Db, organisationId: number, places: LevelPlace[]): Promise<LimitRow[]> =>
  db
    .selectFrom('organisation_limits')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where((e) => e.or(places.map(({ level, level_id }) => e.and({ level, level_id }))))
    .execute();

export async function setLimits(db: Db, row: LimitRow): Promise<void> {
  const { organisation_id, level, level_id, ...limits } = row;
  await db
    .insertInto('organisation_limits')
    .values(row)
    .onConflict((c) => c.columns(['organisation_id', 'level', 'level_id']).doUpdateSet(limits))
    .execute();
}

export const deleteLimits = (db: Db, organisationId: number, { level, level_id }: LevelPlace): Promise<boolean> =>
  deleteRows(db, 'organisation_limits', { organisation_id: organisationId, level, level_id });
