import { sql } from 'kysely';
import type { Db } from '../platform/db/tables.ts';
import { addUser } from './engines.fixture.ts';
import { type LevelName, type Levels, type LevelsPort, levelNames, type OpenBudget } from './levels.ts';

type LevelBudget = OpenBudget & { level: LevelName };

/**
 * Adds an organisation with one total budget per amount, from the narrowest level; returns the budgets holds are taken
 * from.
 */
export async function addBudgets(db: Db, amounts: number[]): Promise<LevelBudget[]> {
  const account = await addUser(db, 0);
  const { rows } = await sql<{
    id: number;
  }>`insert into organisations (name, time_zone, balance, account_id, created_at)
    values ('Acme', 'UTC', 'own', ${account}, 0) returning id`.execute(db);
  const organisation = rows[0]!.id;
  const budgets: LevelBudget[] = [];
  for (const [i, amount] of amounts.entries()) {
    const level = levelNames[i % levelNames.length]!;
    const budget = await sql<{ id: number }>`insert into organisation_budgets
      (organisation_id, level, level_id, span, amount, hard, alerts, created_at)
      values (${organisation}, ${level}, ${i + 1}, 'total', ${amount}, 1, '[]', 0) returning id`.execute(db);
    const window = await sql<{ id: number }>`insert into budget_windows (budget_id, starts_at, ends_at, remain)
      values (${budget.rows[0]!.id}, 0, 0, ${amount}) returning id`.execute(db);
    budgets.push({
      level,
      span: 'total',
      amount,
      hard: true,
      windowId: window.rows[0]!.id,
      endsAt: 0,
      timeZone: 'UTC',
    });
  }
  return budgets;
}

/** Maps keys to their budgets. */
export class TestLevels implements LevelsPort {
  readonly places = new Map<number, Levels>();
  readonly told: number[] = [];

  of(keyId: number | null): Levels | null {
    return this.places.get(keyId ?? 0) ?? null;
  }

  settled({ keyId }: { keyId: number }): void {
    this.told.push(keyId);
  }
}

export interface WindowBooks {
  /** The sum of the row and the allotments of all processes. */
  left: number;
  used: number;
}

export async function windowOf(db: Db, windowId: number): Promise<WindowBooks> {
  const { rows } = await sql<WindowBooks>`select w.remain + coalesce((select sum(p.kept) from billing_allotments p
      where p.user_id = 0 and p.key_id = ${-windowId}), 0) as "left",
    (select n.used from budget_windows_now n where n.id = w.id) as used
    from budget_windows w where w.id = ${windowId}`.execute(db);
  return { left: Number(rows[0]!.left), used: Number(rows[0]!.used) };
}
