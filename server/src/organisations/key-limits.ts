import { listKeys } from '../identity/store/keys.ts';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { type BudgetView, budgetsOf, createBudget, updateBudget } from './budgets.ts';
import { type OrganisationsContext, organisationTag } from './context.ts';
import type { Membership } from './membership.ts';
import { deleteBudget, listBudgets } from './store/budgets.ts';
import { ensureKeysPlace, findKeysPlace } from './store/key-limits.ts';
import { findKeyPlace, placeKeyOnce } from './store/keys.ts';
import type { BudgetRow, OrganisationRow } from './store/tables.ts';

/*
 * Keys outside organisations use the same budgets: they are placed in a hidden organisation without members, whose
 * account is the user.
 */

const window = 'month';

export interface KeyLimit {
  amount: number;
  hard: boolean;
  alerts: number[];
}

export type KeyLimitView = Omit<BudgetView, 'id' | 'level' | 'level_id' | 'window'> & { key_id: number };

const viewOf = ({ id: _, level: __, level_id, window: ___, ...rest }: BudgetView): KeyLimitView => ({
  key_id: level_id,
  ...rest,
});

const ownerOf = (organisation: OrganisationRow, userId: number): Membership => ({
  organisation,
  userId,
  role: 'owner',
});

const ofKey = (keyId: number) => (row: BudgetRow) =>
  row.level === 'key' && row.level_id === keyId && row.span === window;

/** Of all keys of a user that have one. */
export async function keyLimitsOf(room: OrganisationsContext, userId: number): Promise<KeyLimitView[]> {
  const own = await findKeysPlace(room.db, userId);
  if (!own) return [];
  return (await budgetsOf(room, ownerOf(own, userId))).map(viewOf);
}

/** Sets a key's monthly limit (UTC); this month's spending counts if it had a limit before. */
export async function limitKey(
  room: OrganisationsContext,
  userId: number,
  keyId: number,
  limit: KeyLimit,
): Promise<KeyLimitView> {
  const keys = await listKeys(room.db, userId);
  if (!keys.some(({ id }) => id === keyId)) throw new AppError('not_found', 'There is no such API key.');
  const own = await ensureKeysPlace(room.db, userId, nowSeconds(room.clock));
  const place = await findKeyPlace(room.db, keyId);
  if (place && place.organisation_id !== own.id)
    throw new AppError('conflict', 'This key belongs to an organisation. Set its budgets there.');
  const standing = ownerOf(own, userId);
  const change = async (): Promise<KeyLimitView | null> => {
    const known = (await listBudgets(room.db, own.id)).find(ofKey(keyId));
    if (!known) return null;
    try {
      return viewOf(await updateBudget(room, standing, known.id, limit));
    } catch (error) {
      // Removed concurrently: it is set anew.
      if (error instanceof AppError && error.code === 'not_found') return null;
      throw error;
    }
  };
  const changed = await change();
  if (changed) return changed;
  if (!place)
    await placeKeyOnce(room.db, {
      ...{ key_id: keyId, organisation_id: own.id, team_id: null, member_id: null },
      ...{ name: '', created_at: nowSeconds(room.clock) },
    });
  try {
    return viewOf(await createBudget(room, standing, { level: 'key', level_id: keyId, window, ...limit }));
  } catch (error) {
    // Set concurrently: the last writer wins.
    const last = await change();
    if (!last) throw error;
    return last;
  } finally {
    await room.announcements.changed(`key:${keyId}`);
  }
}

const noLimit = () => new AppError('not_found', 'There is no such limit.');

export async function unlimitKey(room: OrganisationsContext, userId: number, keyId: number): Promise<void> {
  const own = await findKeysPlace(room.db, userId);
  const budget = own && (await listBudgets(room.db, own.id)).find(ofKey(keyId));
  if (!budget) throw noLimit();
  if (!(await deleteBudget(room.db, own.id, budget.id))) throw noLimit();
  await room.announcements.changed(organisationTag(own.id));
}
