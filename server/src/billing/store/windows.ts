import { sql } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import './tables.ts';

/*
 * Windows of budgets. Each has a row of its own: nothing has to be set back when one begins, and what still runs is charged
 * to the one before. What is left and kept and used adds up to the limit, but for what a request cost beyond its hold.
 */

/** More than anybody spends: of a budget that only warns. */
const boundless = 1_000_000_000_000_000;

/** What may be taken of a budget in a window. */
export const limitOf = ({ amount, hard }: { amount: number; hard: boolean }): number => (hard ? amount : boundless);

export interface WindowToOpen {
  budgetId: number;
  startsAt: number;
  /** 0 for one without end. */
  endsAt: number;
  limit: number;
}

export async function findWindow(db: Db, budgetId: number, startsAt: number): Promise<number | null> {
  const row = await db
    .selectFrom('budget_windows')
    .select('id')
    .where('budget_id', '=', budgetId)
    .where('starts_at', '=', startsAt)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Makes it if there is none. In a transaction that holds the budget: whoever changes its amount comes before or after. */
export async function openWindow(tx: Db, { budgetId, startsAt, endsAt, limit }: WindowToOpen): Promise<number> {
  const made = await tx
    .insertInto('budget_windows')
    .values({ budget_id: budgetId, starts_at: startsAt, ends_at: endsAt, remain: limit })
    .onConflict((c) => c.columns(['budget_id', 'starts_at']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return made?.id ?? (await findWindow(tx, budgetId, startsAt))!;
}

/**
 * What is left in the windows of a budget that have not ended becomes the new limit less what was used. In a transaction. Tells
 * which they are.
 */
export async function limitWindows(tx: Db, budgetId: number, limit: number, nowSeconds: number): Promise<number[]> {
  // The rows first, which whoever takes from them must have: what is kept and used in all does not change until the end.
  const rows = await tx
    .updateTable('budget_windows')
    .set({ budget_id: budgetId })
    .where('budget_id', '=', budgetId)
    .where((e) => e.or([e('ends_at', '=', 0), e('ends_at', '>', nowSeconds)]))
    .returning('id')
    .execute();
  for (const { id } of rows)
    await sql`update budget_windows set remain = ${limit} - used - cast(coalesce((select sum(p.kept + p.used)
        from billing_purses p where p.user_id = 0 and p.key_id = ${-id}), 0) as bigint)
      where id = ${id}`.execute(tx);
  return rows.map(({ id }) => id);
}

/**
 * The window that is open stays so between other times, with what was used of it: whoever changes a time zone begins no window
 * anew.
 */
export async function moveWindow(
  tx: Db,
  budgetId: number,
  before: { startsAt: number },
  after: { startsAt: number; endsAt: number },
): Promise<void> {
  const taken = tx
    .selectFrom('budget_windows')
    .select('id')
    .where('budget_id', '=', budgetId)
    .where('starts_at', '=', after.startsAt);
  if (before.startsAt !== after.startsAt && (await taken.executeTakeFirst())) return;
  await tx
    .updateTable('budget_windows')
    .set({ starts_at: after.startsAt, ends_at: after.endsAt })
    .where('budget_id', '=', budgetId)
    .where('starts_at', '=', before.startsAt)
    .execute();
}

export interface WindowState {
  id: number;
  budgetId: number;
  startsAt: number;
  endsAt: number;
  used: number;
  warned: number;
}

/** As they are now, with what processes have charged and not handed over yet. */
export async function windowStates(db: Db, ids: number[]): Promise<WindowState[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('budget_windows_now').selectAll().where('id', 'in', ids).execute();
  return rows.map((row) => ({
    ...{ id: row.id, budgetId: row.budget_id, startsAt: row.starts_at, endsAt: row.ends_at },
    ...{ used: Number(row.used), warned: row.warned },
  }));
}

/** Of those that a budget had, the newest first. */
export async function windowsOfBudgets(db: Db, budgetIds: number[], nowSeconds: number): Promise<WindowState[]> {
  if (budgetIds.length === 0) return [];
  const rows = await db
    .selectFrom('budget_windows')
    .select('id')
    .where('budget_id', 'in', budgetIds)
    .where('starts_at', '<=', nowSeconds)
    .where((e) => e.or([e('ends_at', '=', 0), e('ends_at', '>', nowSeconds)]))
    .execute();
  return windowStates(
    db,
    rows.map(({ id }) => id),
  );
}

/** False when another process has told it, or a larger share, before. */
export async function markWarned(tx: Db, id: number, share: number): Promise<boolean> {
  const marked = await tx
    .updateTable('budget_windows')
    .set({ warned: share })
    .where('id', '=', id)
    .where('warned', '<', share)
    .executeTakeFirst();
  return marked.numUpdatedRows > 0n;
}

/** Shares count of the amount as it is now. */
export async function setWarned(tx: Db, id: number, share: number): Promise<void> {
  await tx.updateTable('budget_windows').set({ warned: share }).where('id', '=', id).execute();
}

/** Those that ended before; bounded, so that a sweep never holds the writer for long. Returns how many went. */
export async function deleteEndedWindows(db: Db, before: number, most: number): Promise<number> {
  const gone = await db
    .deleteFrom('budget_windows')
    .where('id', 'in', (e) =>
      e.selectFrom('budget_windows').select('id').where('ends_at', '>', 0).where('ends_at', '<', before).limit(most),
    )
    .executeTakeFirst();
  return Number(gone.numDeletedRows);
}
