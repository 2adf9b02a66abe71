import type { LevelName } from '../billing/levels.ts';
import type { KeyIds } from '../billing/store/usage-sums.ts';
import { AppError } from '../lib/errors.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Membership } from './membership.ts';
import { has } from './rights.ts';
import { type KeyFilter, placedKeyIds } from './store/keys.ts';

interface AskedLevel {
  level: LevelName;
  level_id?: number | undefined;
}

/** Usage is recorded by key: the keys of a level, as far as the member may see them. */
export function keysAt(db: Db, { organisation, userId, role }: Membership, { level, level_id }: AskedLevel): KeyIds {
  if (level !== 'organisation' && level_id === undefined)
    throw new AppError('invalid_value', `level_id is required to identify the ${level}.`, { param: 'level_id' });
  const filters: Record<LevelName, KeyFilter> = {
    organisation: {},
    team: { teamId: level_id },
    member: { memberId: level_id },
    key: { keyId: level_id },
  };
  const own = has(role, 'see_all') ? {} : { holderId: userId };
  return placedKeyIds(db, organisation.id, { ...filters[level], ...own });
}
