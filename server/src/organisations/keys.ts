import type { KeyChanger } from '../identity/imposed.ts';
import { createKey, type KeyView, keyView, type NewKey, removeKey, updateKey } from '../identity/keys.ts';
import { endOverlap, rotateKey } from '../identity/rotate-key.ts';
import { findKeysById } from '../identity/store/keys.ts';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { OrganisationsContext } from './context.ts';
import type { Membership } from './membership.ts';
import { has } from './rights.ts';
import { findPlacedKey, listPlacedKeys, mostKeysAtOnce, moveKey, placeKey } from './store/keys.ts';
import type { OrganisationKeyRow } from './store/tables.ts';
import { isInAnyTeam, isInTeam, membersInTeams } from './store/teams.ts';
import { requireTeam } from './teams.ts';

export interface PlacedKey extends KeyView {
  owner: { type: 'user' | 'team'; id: number };
  team_id: number | null;
  /** A key in no team whose owner is in one, usually since later: no team's budgets and limits apply to it. */
  outside_teams: boolean;
}

const shownAs = (key: KeyView, { member_id, team_id }: OrganisationKeyRow, inTeams: boolean): PlacedKey => ({
  ...key,
  team_id,
  outside_teams: team_id === null && inTeams,
  owner: member_id === null ? { type: 'team', id: team_id! } : { type: 'user', id: member_id },
});

async function viewOf({ db }: Pick<OrganisationsContext, 'db'>, key: KeyView, place: OrganisationKeyRow) {
  const { organisation_id, member_id } = place;
  return shownAs(key, place, member_id !== null && (await isInAnyTeam(db, organisation_id, member_id)));
}

export interface NewPlacedKey extends NewKey {
  owner: 'user' | 'team';
  team_id?: number | undefined;
}

/**
 * A personal key belongs to a user, in an organisation; a team key belongs to the organisation's account and outlives
 * its maker. The secret is returned only after the key has its place.
 */
export async function createPlacedKey(
  room: OrganisationsContext,
  { organisation, userId, role }: Membership,
  sessionId: number,
  { owner, team_id, ...input }: NewPlacedKey,
): Promise<PlacedKey> {
  if (owner === 'team' && team_id === undefined)
    throw new AppError('invalid_value', 'team_id is required for a team key.', { param: 'team_id' });
  if (owner === 'team' && !has(role, 'manage_keys'))
    throw new AppError('forbidden', 'Your role does not allow managing team keys.');
  // A team member spends under the team's budgets, unless a key manager decides otherwise.
  if (team_id === undefined && !has(role, 'manage_keys') && (await isInAnyTeam(room.db, organisation.id, userId)))
    throw new AppError('invalid_value', 'team_id is required because you are in a team.', { param: 'team_id' });
  if (team_id !== undefined) {
    await requireTeam(room, organisation.id, team_id);
    if (owner === 'user' && !(await isInTeam(room.db, team_id, userId)))
      throw new AppError('forbidden', 'You are not in this team.');
  }
  const maker = owner === 'team' ? { userId: organisation.account_id, sessionId: null } : { userId, sessionId };
  const key = await createKey(room, maker, input);
  const place: OrganisationKeyRow = {
    ...{ key_id: key.id, organisation_id: organisation.id, team_id: team_id ?? null, name: key.name },
    ...{ member_id: owner === 'team' ? null : userId, created_at: nowSeconds(room.clock) },
  };
  await placeKey(room.db, place);
  await room.announcements.changed(`key:${key.id}`);
  return viewOf(room, key, place);
}

/** All keys or one's own, without deleted ones, newest first; `last` is where the next part begins, if there is one. */
export async function placedKeys(
  room: OrganisationsContext,
  { organisation, userId, role }: Membership,
  before?: number,
): Promise<{ keys: PlacedKey[]; last: number | null }> {
  const own = has(role, 'see_all') ? {} : { memberId: userId };
  const places = await listPlacedKeys(room.db, organisation.id, { ...own, before, existing: true });
  const rows = await findKeysById(
    room.db,
    places.map(({ key_id }) => key_id),
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  const inTeams = await membersInTeams(room.db, organisation.id);
  const now = nowSeconds(room.clock);
  const keys = places.flatMap((place) => {
    const row = found.get(place.key_id);
    return row ? [shownAs(keyView(row, now), place, place.member_id !== null && inTeams.has(place.member_id))] : [];
  });
  return { keys, last: places.length < mostKeysAtOnce ? null : places.at(-1)!.key_id };
}

/** One's own key or, for key managers, any: returns its holder. */
async function reach(room: OrganisationsContext, { organisation, userId, role }: Membership, keyId: number) {
  const place = await findPlacedKey(room.db, organisation.id, keyId);
  const mine = place?.member_id === userId;
  if (!place || (!mine && !has(role, 'manage_keys'))) throw new AppError('not_found', 'There is no such API key.');
  return { place, holderId: place.member_id ?? organisation.account_id };
}

/** What a manager sets on a member's own key stays until a manager changes it; keys of teams are the managers'. */
function changerOf({ userId, role }: Membership, { member_id }: OrganisationKeyRow): KeyChanger {
  if (!has(role, 'manage_keys')) return 'holder';
  return member_id === null || member_id === userId ? 'managing_holder' : 'manager';
}

export type KeyInput = Parameters<typeof updateKey>[3] & { team_id?: number | null | undefined };

export async function changePlacedKey(
  room: OrganisationsContext,
  standing: Membership,
  keyId: number,
  { team_id, ...input }: KeyInput,
): Promise<PlacedKey> {
  const { place, holderId } = await reach(room, standing, keyId);
  const moves = team_id !== undefined && team_id !== place.team_id;
  if (moves) {
    if (!has(standing.role, 'manage_keys')) throw new AppError('forbidden', 'Your role does not allow moving keys.');
    if (team_id === null && place.member_id === null)
      throw new AppError('invalid_value', 'A team key requires a team.', { param: 'team_id' });
    if (team_id !== null) {
      await requireTeam(room, standing.organisation.id, team_id);
      if (place.member_id !== null && !(await isInTeam(room.db, team_id, place.member_id)))
        throw new AppError('conflict', "The key's owner is not in this team.");
    }
  }
  const key = await updateKey(room, holderId, keyId, input, changerOf(standing, place));
  if (!moves) return viewOf(room, key, place);
  await moveKey(room.db, keyId, team_id);
  await room.announcements.changed(`key:${keyId}`);
  return viewOf(room, key, { ...place, team_id });
}

export async function removePlacedKey(room: OrganisationsContext, standing: Membership, keyId: number): Promise<void> {
  const { holderId } = await reach(room, standing, keyId);
  await removeKey(room, holderId, keyId);
}

/** The secret of a member's personal key acts as that member everywhere, also outside the organisation. */
export async function rotatePlacedKey(
  room: OrganisationsContext,
  standing: Membership,
  sessionId: number,
  keyId: number,
  rotation: Parameters<typeof rotateKey>[3],
): Promise<PlacedKey> {
  const { place, holderId } = await reach(room, standing, keyId);
  if (place.member_id !== null && place.member_id !== standing.userId)
    throw new AppError('forbidden', "Only the key's owner can rotate its secret. You can disable or delete the key.");
  // The account has no session; the acting user has authenticated.
  const maker = { userId: holderId, sessionId: holderId === standing.userId ? sessionId : null };
  return viewOf(room, await rotateKey(room, maker, keyId, rotation), place);
}

export async function endPlacedOverlap(room: OrganisationsContext, standing: Membership, keyId: number): Promise<void> {
  const { holderId } = await reach(room, standing, keyId);
  await endOverlap(room, holderId, keyId);
}
