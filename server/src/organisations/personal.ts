import type { Span } from '../billing/levels.ts';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { type BudgetView, budgetsOf, createBudget, removeBudget, updateBudget } from './budgets.ts';
import type { OrganisationsContext } from './context.ts';
import type { Membership } from './membership.ts';
import { newSecret, type OrganisationInput, rotateWebhookSecret, updateOrganisation } from './organisations.ts';
import { personTag } from './own-limits.ts';
import { listBudgets } from './store/budgets.ts';
import { deleteOrganisation } from './store/organisations.ts';
import { ensurePersonal, findPersonal } from './store/personal.ts';
import type { OrganisationRow, WarningRow } from './store/tables.ts';
import { listWarnings } from './store/warnings.ts';

export interface OwnLimit {
  amount: number;
  hard: boolean;
  alerts: number[];
}

export interface OwnSpending {
  limits: BudgetView[];
  time_zone: string;
  webhook_url: string;
  warnings: WarningRow[];
}

const mostWarnings = 20;

/** The defaults, for a user who has set nothing. */
export async function spendingOf(room: OrganisationsContext, userId: number): Promise<OwnSpending> {
  const own = await findPersonal(room.db, userId);
  if (!own) return { limits: [], time_zone: 'UTC', webhook_url: '', warnings: [] };
  return {
    limits: await budgetsOf(room, { organisation: own, userId, role: 'owner' }),
    time_zone: own.time_zone,
    webhook_url: own.webhook_url,
    warnings: await listWarnings(room.db, own.id, mostWarnings),
  };
}

async function standingOf(room: OrganisationsContext, userId: number): Promise<Membership> {
  const created_at = nowSeconds(room.clock);
  const organisation = await ensurePersonal(room.db, userId, {
    ...{ webhook_secret: room.sealer.seal(newSecret()), created_at },
  });
  return { organisation, userId, role: 'owner' };
}

const budgetFor = async (room: OrganisationsContext, { id }: OrganisationRow, window: Span) =>
  (await listBudgets(room.db, id)).find(({ span }) => span === window);

/** Creates or updates it. */
export async function setOwnLimit(
  room: OrganisationsContext,
  userId: number,
  window: Span,
  limit: OwnLimit,
): Promise<BudgetView> {
  const standing = await standingOf(room, userId);
  const { organisation } = standing;
  const before = await budgetFor(room, organisation, window);
  const made = before
    ? await updateBudget(room, standing, before.id, limit)
    : await createBudget(room, standing, { level: 'organisation', level_id: organisation.id, window, ...limit }).catch(
        async (error) => {
          // Set concurrently in another tab.
          const other = await budgetFor(room, organisation, window);
          if (!(error instanceof AppError) || error.code !== 'conflict' || !other) throw error;
          return updateBudget(room, standing, other.id, limit);
        },
      );
  await room.announcements.changed(personTag(userId));
  return made;
}

export async function dropOwnLimit(room: OrganisationsContext, userId: number, window: Span): Promise<void> {
  const own = await findPersonal(room.db, userId);
  const before = own && (await budgetFor(room, own, window));
  if (!before) throw new AppError('not_found', 'You have not set this limit.');
  await removeBudget(room, { organisation: own, userId, role: 'owner' }, before.id);
  await room.announcements.changed(personTag(userId));
}

/** Time zone, and further recipients. */
export async function changeSpending(
  room: OrganisationsContext,
  userId: number,
  change: Pick<OrganisationInput, 'time_zone' | 'webhook_url'>,
): Promise<void> {
  await updateOrganisation(room, await standingOf(room, userId), change);
  await room.announcements.changed(personTag(userId));
}

export const newOwnSecret = async (room: OrganisationsContext, userId: number): Promise<string> =>
  rotateWebhookSecret(room, await standingOf(room, userId));

/** For a user being deleted. */
export async function forgetPersonal(
  room: Pick<OrganisationsContext, 'db' | 'announcements'>,
  userId: number,
): Promise<void> {
  const own = await findPersonal(room.db, userId);
  if (own) await deleteOrganisation(room.db, own.id);
  await room.announcements.changed(personTag(userId));
}
