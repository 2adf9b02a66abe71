import { sql } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import { windowsOf } from './port.ts';
import './tables.ts';

/*
 * Windows of budgets. Each has its own row, so nothing is reset when a new one starts, and running requests are charged
 * to the window they started in. What is left, reserved and used adds up to the limit, except for costs beyond a hold.
 */

/** More than anyone spends: the limit of a budget that only warns. */
const boundless = 1_000_000_000_000_000;

/** The limit of a budget's window. */
export const limitOf = ({ amount, hard }: { amount: number; hard: boolean }): number => (hard ? amount : boundless);

export interface WindowToOpen {
  budgetId: number;
  startsAt: number;
  /** 0 if it never ends. */
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

/**
 * Creates the window if it does not exist. Call in a transaction that locks the budget, to serialise with changes of
 * its amount.
 */
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
 * Sets what is left in the current windows of a budget to the new limit minus what was used and is held. Call in a
 * transaction. Returns the ids of the windows.
 */
export async function limitWindows(tx: Db, budgetId: number, limit: number, nowSeconds: number): Promise<number[]> {
  // Lock the rows first, which every top-up needs too: what is reserved and used does not change until the commit.
  const rows = await tx
    .updateTable('budget_windows')
    .set({ budget_id: budgetId })
    .where('budget_id', '=', budgetId)
    .where((e) => e.or([e('ends_at', '=', 0), e('ends_at', '>', nowSeconds)]))
    .returning('id')
    .execute();
  for (const { id } of rows)
    await sql`update budget_windows set remain = ${limit - (await heldDurably(tx, id))} - used - cast(coalesce((select sum(p.kept + p.used)
        from billing_allotments p where p.user_id = 0 and p.key_id = ${-id}), 0) as bigint)
      where id = ${id}`.execute(tx);
  return rows.map(({ id }) => id);
}

/** What durable holds, such as those of videos, have taken from a window: they have no allotment. */
async function heldDurably(tx: Db, windowId: number): Promise<number> {
  const rows = await tx
    .selectFrom('billing_holds')
    .select(['amount', 'levels'])
    .where('owner', '=', '')
    .where('levels', 'like', `%${windowId}%`)
    .execute();
  return rows.reduce((sum, { amount, levels }) => (windowsOf(levels).includes(windowId) ? sum + amount : sum), 0);
}

/**
 * Moves the current window to other times and keeps what was used, so that changing the time zone does not start a new
 * window.
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

/** The current state, including charges that processes have not merged yet. */
export async function windowStates(db: Db, ids: number[]): Promise<WindowState[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('budget_windows_now').selectAll().where('id', 'in', ids).execute();
  return rows.map((row) => ({
    ...{ id: row.id, budgetId: row.budget_id, startsAt: row.starts_at, endsAt: row.ends_at },
    ...{ used: Number(row.used), warned: row.warned },
  }));
}

/** All windows a budget had, newest first. */
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

/** False if another process already warned of this share or a larger one. */
export async function markWarned(tx: Db, id: number, share: number): Promise<boolean> {
  const marked = await tx
    .updateTable('budget_windows')
    .set({ warned: share })
    .where('id', '=', id)
    .where('warned', '<', share)
    .executeTakeFirst();
  return marked.numUpdatedRows > 0n;
}

/** For when the amount of a budget changes, and with it the share that was used. */
export async function setWarned(tx: Db, id: number, share: number): Promise<void> {
  await tx.updateTable('budget_windows').set({ warned: share }).where('id', '=', id).execute();
}

/** Deletes windows that ended before; bounded, so that a sweep never blocks the writer for long. Returns how many. */
export async function deleteEndedWindows(db: Db, before: number, most: number): Promise<number> {
  const gone = await db
    .deleteFrom('budget_windows')
    .where('id', 'in', (e) =>
      e.selectFrom('budget_windows').select('id').where('ends_at', '>', 0).where('ends_at', '<', before).limit(most),
    )
    .executeTakeFirst();
  return Number(gone.numDeletedRows);
}
