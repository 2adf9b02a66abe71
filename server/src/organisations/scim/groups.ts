import { changesOf } from '../../lib/changes.ts';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { isObject } from '../../lib/is-object.ts';
import type { Db } from '../../platform/db/tables.ts';
import { type OrganisationsContext, organisationTag } from '../context.ts';
import { holdMembers } from '../store/members.ts';
import { addPlaces, countPlaces, groupMembers, knownScimUsers, removePlaces } from '../store/scim-places.ts';
import { tieMembers } from '../store/scim-users.ts';
import type { TeamRow } from '../store/tables.ts';
import { deleteTeam, insertTeam, listTeams } from '../store/teams.ts';
import { changeTeam, mostTeams, requireTeam, teamName } from '../teams.ts';
import type { Directory } from './caller.ts';
import { fault, taken } from './faults.ts';
import { askedFor, type Change, textIn, writtenAs } from './patch.ts';
import { externalId } from './user-fields.ts';

/** A team as the directory sees it, with the members it manages. */
export interface Group {
  name: string;
  external_id: string;
  members: ReadonlySet<number>;
}

export const noGroup: Group = { name: '', external_id: '', members: new Set() };

/** As many as an organisation lists. */
const mostPlaces = 50_000;

export function toldGroup(before: Group, changes: readonly Change[]): Group {
  // One copy for all changes: one per change would be quadratic for thousands of members.
  const group = { ...before, members: new Set(before.members) };
  for (const change of changes) tell(group, change);
  return group;
}

function tell(group: Group & { members: Set<number> }, change: Change): void {
  const { attribute, op, where, value } = change;
  if (attribute === 'displayname') group.name = textIn(change, teamName);
  if (attribute === 'externalid') group.external_id = textIn(change, externalId);
  if (attribute !== 'members') return;
  const named = idsIn(change);
  // RFC 7644 §3.5.2.2: without values, all of them. Microsoft names them in the value.
  const isAll = op === 'remove' && where === null && value === undefined;
  if (isAll || (op === 'replace' && !where)) group.members.clear();
  for (const id of named)
    if (op === 'remove') group.members.delete(id);
    else group.members.add(id);
}

function idsIn({ where, value, op }: Change): ReadonlySet<number> {
  const asked = askedFor(where, 'value');
  const given = (value === undefined || value === null ? [] : [value].flat()).map((one) => memberIn(one));
  const ids = [...asked, ...given].map((id) => (/^\d{1,15}$/.test(writtenAs(id)) ? Number(id) : 0));
  if (op !== 'remove' && ids.includes(0)) throw fault('invalidValue', 'members: value must be the id of a user.');
  return new Set(ids);
}

function memberIn(one: unknown): unknown {
  if (!isObject(one)) return one;
  if (writtenAs(one.type).toLowerCase() === 'group') throw fault('invalidValue', 'members: groups cannot be nested.');
  return one.value;
}

export async function createGroup(room: OrganisationsContext, by: Directory, changes: Change[]): Promise<TeamRow> {
  const organisation_id = by.organisation.id;
  return settle(room, by, async (tx) => {
    const group = toldGroup(noGroup, changes);
    await refuseTaken(tx, organisation_id, group, 0);
    if ((await listTeams(tx, organisation_id)).length >= mostTeams)
      throw new AppError('conflict', `This organisation has reached the limit of ${mostTeams} teams.`);
    const created_at = nowSeconds(room.clock);
    const { name, external_id } = group;
    const team = await insertTeam(tx, { organisation_id, name, external_id, created_at });
    await setMembers(tx, team, new Set(), group.members);
    return { team, action: 'team_created', before: null, after: group };
  });
}

export async function changeGroup(
  room: OrganisationsContext,
  by: Directory,
  id: number,
  change: (group: Group) => Group,
): Promise<TeamRow> {
  return settle(room, by, async (tx) => {
    const team = await requireTeam({ db: tx }, by.organisation.id, id);
    const members = new Set((await groupMembers(tx, [id])).map((member) => member.id));
    const before: Group = { name: team.name, external_id: team.external_id, members };
    const after = change(before);
    if (after.name !== before.name) await refuseTaken(tx, by.organisation.id, after, id);
    const { name, external_id } = after;
    const changed = await changeTeam({ db: tx }, by.organisation.id, id, { name, external_id });
    await setMembers(tx, team, members, after.members);
    return { team: changed, action: 'team_updated', before, after };
  });
}

export async function removeGroup(room: OrganisationsContext, by: Directory, id: number): Promise<void> {
  await settle(room, by, async (tx) => {
    const team = await requireTeam({ db: tx }, by.organisation.id, id);
    await deleteTeam(tx, by.organisation.id, id);
    return { team, action: 'team_deleted', before: { ...noGroup, name: team.name }, after: null };
  });
}

/** Teams made by people may share a name; a directory that asks twice must not create two. */
async function refuseTaken(tx: Db, organisationId: number, { name }: Group, id: number): Promise<void> {
  if (name === '') throw fault('invalidValue', 'displayName is required.');
  const teams = await listTeams(tx, organisationId);
  if (teams.some((team) => team.name === name && team.id !== id))
    throw taken(`A group with the displayName ${name} already exists.`);
}

async function setMembers(
  tx: Db,
  { id, organisation_id }: TeamRow,
  before: ReadonlySet<number>,
  after: ReadonlySet<number>,
): Promise<void> {
  const [added, removed] = [[...after.difference(before)], [...before.difference(after)]];
  if (added.length + removed.length === 0) return;
  const known = await knownScimUsers(tx, organisation_id, added);
  const stranger = added.find((one) => !known.has(one));
  if (stranger !== undefined) throw fault('invalidValue', `members: no user has the id ${stranger}.`);
  if ((await countPlaces(tx, organisation_id)) + added.length > mostPlaces)
    throw fault('tooMany', `The groups of an organisation can have at most ${mostPlaces} members in total.`);
  await tieMembers(tx, organisation_id);
  await addPlaces(tx, id, added);
  await removePlaces(tx, id, removed);
}

interface Step {
  team: TeamRow;
  action: string;
  before: Group | null;
  after: Group | null;
}

/** Serialized per organisation, and audited. */
async function settle(room: OrganisationsContext, by: Directory, act: (tx: Db) => Promise<Step>): Promise<TeamRow> {
  const { organisation, actor, origin } = by;
  const { team, action, before, after } = await room.db.transaction().execute(async (tx) => {
    await holdMembers(tx, organisation.id);
    return act(tx);
  });
  const changes = changesOf(stateOf(before, after), stateOf(after, before));
  if (Object.keys(changes.after ?? {}).length > 0 || !after) {
    await room.announcements.changed(organisationTag(organisation.id));
    const target = { type: 'organisation', id: organisation.id };
    const named = { team_id: team.id, name: team.name };
    room.audit.record({ action, actor, target, ...changes, after: { ...named, ...changes.after }, origin });
    await room.audit.flush();
  }
  return team;
}

/** Only the differing members: a list of thousands would not help. */
const stateOf = (group: Group | null, other: Group | null) =>
  group && {
    ...{ name: group.name, external_id: group.external_id },
    members: [...group.members.difference(other?.members ?? new Set())],
  };
