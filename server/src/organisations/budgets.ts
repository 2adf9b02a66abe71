import { type LevelName, type Span, spans } from '../billing/levels.ts';
import { limitOf, limitWindows, setWarned, windowStates, windowsOfBudgets } from '../billing/store/windows.ts';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Db } from '../platform/db/tables.ts';
import { shareReached } from './alert-thresholds.ts';
import { windowAt } from './calendar.ts';
import { type OrganisationsContext, organisationTag } from './context.ts';
import type { Membership } from './membership.ts';
import { ownPlaces } from './own-places.ts';
import {
  changeBudget,
  deleteBudget,
  findBudget,
  forgetDeletedKeys,
  insertBudget,
  type LevelPlace,
  listBudgets,
} from './store/budgets.ts';
import { listPlacedKeys } from './store/keys.ts';
import { findRole, holdMembers } from './store/members.ts';
import type { BudgetRow, OrganisationRow } from './store/tables.ts';
import { findTeam } from './store/teams.ts';

const mostBudgets = 2_000;

export interface BudgetView {
  id: number;
  level: LevelName;
  level_id: number;
  window: Span;
  /** In quota units. */
  amount: number;
  hard: boolean;
  alerts: number[];
  used: number;
  remaining: number;
  starts_at: number | null;
  resets_at: number | null;
}

const inThousandths = (alerts: number[]): number[] =>
  [...new Set(alerts.map((share) => Math.round(share * 1000)))].toSorted((a, b) => a - b);

function viewOf(row: BudgetRow, { time_zone }: OrganisationRow, now: number, used: number): BudgetView {
  const span = spans.find((name) => name === row.span)!;
  const { startsAt, endsAt } = windowAt(time_zone, span, now);
  return {
    ...{ id: row.id, level: row.level, level_id: row.level_id, window: span, amount: row.amount },
    ...{ hard: row.hard === 1, alerts: (JSON.parse(row.alerts) as number[]).map((share) => share / 1000) },
    ...{ used, remaining: Math.max(0, row.amount - used) },
    starts_at: endsAt === 0 ? null : startsAt,
    resets_at: endsAt === 0 ? null : endsAt,
  };
}

/** The budgets a member may see, with the usage of their current windows. */
export async function budgetsOf(room: OrganisationsContext, standing: Membership): Promise<BudgetView[]> {
  const { organisation } = standing;
  const now = nowSeconds(room.clock);
  const rows = (await listBudgets(room.db, organisation.id)).filter(await ownPlaces(room.db, standing));
  const windows = await windowsOfBudgets(
    room.db,
    rows.map(({ id }) => id),
    now,
  );
  const used = new Map(windows.map((window) => [window.budgetId, window.used]));
  return rows.map((row) => viewOf(row, organisation, now, used.get(row.id) ?? 0));
}

/** Checks that it exists in this organisation; while the organisation is held, teams and members stay. */
export async function requireLevel(db: Db, organisationId: number, { level, level_id }: LevelPlace): Promise<void> {
  const found: Record<LevelName, () => Promise<unknown>> = {
    organisation: async () => level_id === organisationId || null,
    team: () => findTeam(db, organisationId, level_id),
    member: () => findRole(db, organisationId, level_id),
    key: async () => (await listPlacedKeys(db, organisationId, { keyId: level_id, existing: true }))[0] ?? null,
  };
  if ((await found[level]()) === null)
    throw new AppError('invalid_value', `This ${level} does not exist in this organisation.`, { param: 'level_id' });
}

export interface NewBudget extends LevelPlace {
  window: Span;
  amount: number;
  hard: boolean;
  alerts: number[];
}

export async function createBudget(
  room: OrganisationsContext,
  { organisation }: Membership,
  input: NewBudget,
): Promise<BudgetView> {
  const { level, level_id, window, amount } = input;
  await forgetDeletedKeys(room.db, organisation.id);
  const now = nowSeconds(room.clock);
  const row = await room.db.transaction().execute(async (tx) => {
    await holdMembers(tx, organisation.id);
    await requireLevel(tx, organisation.id, input);
    if ((await listBudgets(tx, organisation.id)).length >= mostBudgets)
      throw new AppError('conflict', `This organisation has reached the limit of ${mostBudgets} budgets.`);
    return insertBudget(tx, {
      ...{ organisation_id: organisation.id, level, level_id, span: window, amount, hard: Number(input.hard) },
      ...{ alerts: JSON.stringify(inThousandths(input.alerts)), created_at: now },
    });
  });
  if (!row)
    throw new AppError('conflict', `This ${level} already has a budget for this window. Change that budget instead.`);
  await room.announcements.changed(organisationTag(organisation.id));
  return viewOf(row, organisation, now, 0);
}

export type BudgetChange = Partial<Pick<NewBudget, 'amount' | 'hard' | 'alerts'>>;

/** Keeps what is left. Alerts already sent are not repeated; those below the new threshold are reset. */
export async function updateBudget(
  room: OrganisationsContext,
  { organisation }: Membership,
  id: number,
  { amount, hard, alerts }: BudgetChange,
): Promise<BudgetView> {
  if (!(await findBudget(room.db, organisation.id, id))) throw new AppError('not_found', 'There is no such budget.');
  const now = nowSeconds(room.clock);
  const changed = await room.db.transaction().execute(async (tx) => {
    const row = await changeBudget(tx, id, {
      ...(amount !== undefined && { amount }),
      ...(hard !== undefined && { hard: Number(hard) }),
      ...(alerts && { alerts: JSON.stringify(inThousandths(alerts)) }),
    });
    if (!row) throw new AppError('not_found', 'There is no such budget.');
    const windows = await limitWindows(tx, id, limitOf({ amount: row.amount, hard: row.hard === 1 }), now);
    for (const { id: windowId, used } of await windowStates(tx, windows))
      await setWarned(tx, windowId, shareReached(row, used) ?? 0);
    return { row, windows };
  });
  await room.announcements.changed(organisationTag(organisation.id));
  // Unused allotments of the old amount are returned by all processes.
  await room.billing.recallWindows(changed.windows);
  const states = await windowsOfBudgets(room.db, [id], now);
  return viewOf(changed.row, organisation, now, states[0]?.used ?? 0);
}

/** Running requests are still charged to it, and its remainder is not needed. */
export async function removeBudget(
  room: OrganisationsContext,
  { organisation }: Membership,
  id: number,
): Promise<void> {
  if (!(await deleteBudget(room.db, organisation.id, id))) throw new AppError('not_found', 'There is no such budget.');
  await room.announcements.changed(organisationTag(organisation.id));
}
