import type { LevelName } from '../billing/levels.ts';
import { AppError } from '../lib/errors.ts';
import { requireLevel } from './budgets.ts';
import { type OrganisationsContext, organisationTag } from './context.ts';
import type { Membership } from './membership.ts';
import { ownPlaces } from './own-places.ts';
import { deleteLimits, type LevelPlace, listLimits, setLimits } from './store/budgets.ts';
import { holdMembers } from './store/members.ts';
import type { LimitRow } from './store/tables.ts';

export interface LimitsView {
  level: LevelName;
  level_id: number;
  /** 0: none. */
  requests_per_minute: number;
  tokens_per_minute: number;
  /** Empty: all. */
  models: string[];
  providers: string[];
}

const viewOf = (row: LimitRow): LimitsView => ({
  level: row.level,
  level_id: row.level_id,
  requests_per_minute: row.requests_per_minute,
  tokens_per_minute: row.tokens_per_minute,
  models: JSON.parse(row.models) as string[],
  providers: JSON.parse(row.providers) as string[],
});

/** The limits a member may see. */
export async function limitsOf(room: OrganisationsContext, standing: Membership): Promise<LimitsView[]> {
  const rows = (await listLimits(room.db, standing.organisation.id)).map(viewOf);
  return rows.filter(await ownPlaces(room.db, standing));
}

export async function putLimits(
  room: OrganisationsContext,
  { organisation }: Membership,
  input: LimitsView,
): Promise<LimitsView> {
  const { models, providers, ...plain } = input;
  const lists = { models: JSON.stringify(models), providers: JSON.stringify(providers) };
  const row: LimitRow = { organisation_id: organisation.id, ...plain, ...lists };
  await room.db.transaction().execute(async (tx) => {
    await holdMembers(tx, organisation.id);
    await requireLevel(tx, organisation.id, input);
    await setLimits(tx, row);
  });
  await room.announcements.changed(organisationTag(organisation.id));
  return viewOf(row);
}

export async function removeLimits(
  room: OrganisationsContext,
  { organisation }: Membership,
  place: LevelPlace,
): Promise<void> {
  if (!(await deleteLimits(room.db, organisation.id, place)))
    throw new AppError('not_found', `This ${place.level} has no limits.`);
  await room.announcements.changed(organisationTag(organisation.id));
}
