import { changesOf } from '../../lib/changes.ts';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Db } from '../../platform/db/tables.ts';
import { type OrganisationsContext, organisationTag } from '../context.ts';
import { removeFromOrganisation } from '../members.ts';
import type { Memberships } from '../memberships.ts';
import { holdMembers } from '../store/members.ts';
import { takePlaces } from '../store/scim-places.ts';
import {
  countScimUsers,
  deleteScimUser,
  findScimUser,
  insertScimUser,
  isNameTaken,
  memberMeant,
  type ScimUserValues,
  tieMembers,
  updateScimUser,
} from '../store/scim-users.ts';
import type { ScimUserFields, ScimUserRow } from '../store/tables.ts';
import type { Directory } from './caller.ts';
import { taken } from './faults.ts';
import { addressOf } from './user-fields.ts';

export interface ScimContext extends OrganisationsContext {
  memberships: Pick<Memberships, 'left'>;
}

/** As many members as an organisation lists. */
const mostUsers = 10_000;

const noUser = () => new AppError('not_found', 'There is no such user.');

export async function requireUser(
  { db }: Pick<OrganisationsContext, 'db'>,
  by: Directory,
  id: number,
): Promise<ScimUserRow> {
  const row = await findScimUser(db, by.organisation.id, id);
  if (!row) throw noUser();
  return row;
}

const valuesOf = (fields: ScimUserFields, now: number): ScimUserValues => ({
  ...fields,
  user_key: fields.user_name.toLowerCase(),
  address: addressOf(fields),
  updated_at: now,
});

const fieldsOf = (row: ScimUserRow): ScimUserFields => {
  const { user_name, external_id, given_name, family_name, display_name, email, active } = row;
  return { user_name, external_id, given_name, family_name, display_name, email, active };
};

/** Answers the same whether or not an account with this address exists; its holder decides whether to join. */
export async function createUser(room: ScimContext, by: Directory, fields: ScimUserFields): Promise<ScimUserRow> {
  const { id } = by.organisation;
  const now = nowSeconds(room.clock);
  return settle(room, by, async (tx) => {
    await refuseTaken(tx, id, fields, 0);
    if ((await countScimUsers(tx, id)).people >= mostUsers)
      throw new AppError('conflict', `This organisation has reached the limit of ${mostUsers} users.`);
    const row = await insertScimUser(tx, { ...valuesOf(fields, now), organisation_id: id, created_at: now });
    return { row, before: null, after: row };
  });
}

export async function changeUser(
  room: ScimContext,
  by: Directory,
  id: number,
  change: (fields: ScimUserFields) => ScimUserFields,
): Promise<ScimUserRow> {
  return settle(room, by, async (tx) => {
    const before = await requireUser({ db: tx }, by, id);
    // By the former address, so that a linked member stays linked.
    const { isNew: isTied } = await meant(tx, before);
    const fields = change(fieldsOf(before));
    const { after } = changesOf({ ...fieldsOf(before) }, { ...fields });
    if (Object.keys(after!).length === 0) return { row: before, before, after: before, isTied };
    await refuseTaken(tx, by.organisation.id, fields, id);
    const anew = before.active !== 1 && fields.active === 1 ? { kept_out: 0 } : {};
    const row = await updateScimUser(tx, id, { ...valuesOf(fields, nowSeconds(room.clock)), ...anew });
    return { row, before, after: row, isTied };
  });
}

export async function removeUser(room: ScimContext, by: Directory, id: number): Promise<void> {
  await settle(room, by, async (tx) => {
    const row = await requireUser({ db: tx }, by, id);
    return { row, before: row, after: null };
  });
}

async function refuseTaken(tx: Db, organisationId: number, { user_name }: ScimUserFields, id: number): Promise<void> {
  if (await isNameTaken(tx, organisationId, user_name.toLowerCase(), id))
    throw taken(`A user with the userName ${user_name} already exists.`);
}

interface Step {
  row: ScimUserRow;
  before: ScimUserRow | null;
  after: ScimUserRow | null;
  /** Whether a member was newly linked. */
  isTied?: boolean;
}

/**
 * Serialized per organisation. When this returns, a deactivated user is removed, with everything that depended on the
 * membership.
 */
async function settle(room: ScimContext, by: Directory, act: (tx: Db) => Promise<Step>): Promise<ScimUserRow> {
  const { organisation } = by;
  const { row, left, isTied, ...step } = await room.db.transaction().execute(async (tx) => {
    await holdMembers(tx, organisation.id);
    const done = await act(tx);
    const { userId, isNew } = await meant(tx, done.row);
    const isOut = userId !== null && done.after?.active !== 1;
    if (isOut) await removeFromOrganisation(tx, organisation.id, userId);
    if (!done.after) await deleteScimUser(tx, done.row.id);
    return { ...done, left: isOut ? userId : null, isTied: isNew || done.isTied === true };
  });
  // A directory that repeats everything must not invalidate every cached place.
  if (left !== null || isTied) await room.announcements.changed(organisationTag(organisation.id));
  await record(room, by, step, left);
  if (left !== null) await room.memberships.left(left, organisation.account_id);
  return row;
}

/** The member of an entry, by having joined or by address; null if there is none. */
async function meant(
  tx: Db,
  { id, organisation_id, address }: ScimUserRow,
): Promise<{ userId: number | null; isNew: boolean }> {
  const tied = await memberMeant(tx, id);
  if (tied !== null || address === '') return { userId: tied, isNew: false };
  const isNew = await tieMembers(tx, organisation_id, address);
  const userId = isNew ? await memberMeant(tx, id) : null;
  if (userId !== null) await takePlaces(tx, organisation_id, userId);
  return { userId, isNew };
}

const actionOf = ({ before, after }: Omit<Step, 'row'>): string => {
  if (!before) return 'scim_user_created';
  return after ? 'scim_user_updated' : 'scim_user_deleted';
};

/** Directories repeat themselves: changes without effect are not audited. */
async function record(
  room: OrganisationsContext,
  by: Directory,
  step: Omit<Step, 'row'>,
  left: number | null,
): Promise<void> {
  const { before, after } = step;
  const target = { type: 'organisation', id: by.organisation.id };
  const { actor, origin } = by;
  const state = (row: ScimUserRow | null) => row && { ...fieldsOf(row), active: row.active === 1 };
  const changes = changesOf(state(before), state(after));
  const hasChanged = Object.keys(changes.after ?? {}).length > 0 || !after;
  if (hasChanged) {
    const named = { user_name: (after ?? before)!.user_name };
    room.audit.record({
      action: actionOf(step),
      actor,
      target,
      ...changes,
      after: { ...named, ...changes.after },
      origin,
    });
  }
  if (left !== null) room.audit.record({ action: 'member_removed', actor, target, after: { user_id: left }, origin });
  await room.audit.flush();
}
