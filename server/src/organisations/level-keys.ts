import type { LevelName } from '../billing/levels.ts';
import { AppError } from '../lib/errors.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Membership } from './membership.ts';
import { has } from './rights.ts';
import { type KeyFilter, listPlacedKeys } from './store/keys.ts';

interface AskedLevel {
  level: LevelName;
  level_id?: number | undefined;
}

/** Usage is recorded by key: the keys of a level, as far as the member may see them. */
export async function keysAt(
  db: Db,
  { organisation, userId, role }: Membership,
  { level, level_id }: AskedLevel,
): Promise<number[]> {
  if (level !== 'organisation' && level_id === undefined)
    throw new AppError('invalid_value', `level_id is required to identify the ${level}.`, { param: 'level_id' });
  const filters: Record<LevelName, KeyFilter> = {
    organisation: {},
    team: { teamId: level_id },
    member: { memberId: level_id },
    key: { keyId: level_id },
  };
  const own = has(role, 'see_all') ? {} : { holderId: userId };
  const keys = await listPlacedKeys(db, organisation.id, { ...filters[level], ...own });
  return keys.map(({ key_id }) => key_id);
}
