import type { Db } from '../platform/db/tables.ts';
import type { Membership } from './membership.ts';
import { has } from './rights.ts';
import type { LevelPlace } from './store/budgets.ts';
import { listPlacedKeys } from './store/keys.ts';
import { teamsOf } from './store/teams.ts';

/** Which levels a member may see: all, or those that apply to their own requests. */
export async function ownPlaces(
  db: Db,
  { organisation: { id }, userId, role }: Membership,
): Promise<(place: LevelPlace) => boolean> {
  if (has(role, 'see_all')) return () => true;
  const keys = await listPlacedKeys(db, id, { memberId: userId, existing: true });
  const own: Record<string, Set<number>> = {
    organisation: new Set([id]),
    team: new Set(await teamsOf(db, id, userId)),
    member: new Set([userId]),
    key: new Set(keys.map(({ key_id }) => key_id)),
  };
  return ({ level, level_id }) => own[level]?.has(level_id) ?? false;
}
