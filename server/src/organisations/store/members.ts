import { sql } from 'kysely';
import { deleteRows } from '../../platform/db/delete-rows.ts';
import { findRow } from '../../platform/db/find-row.ts';
import { countRows } from '../../platform/db/list-page.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { updateRows } from '../../platform/db/update-rows.ts';
import { enabled, type MemberRole } from '../rights.ts';
import type { MemberRow } from './tables.ts';
import './tables.ts';

export const findRole = async (db: Db, organisationId: number, userId: number): Promise<MemberRole | null> =>
  (await findRow(db, 'organisation_members', { organisation_id: organisationId, user_id: userId }))?.role ?? null;

/** The same for a user who can log in. */
export async function findActiveRole(db: Db, organisationId: number, userId: number): Promise<MemberRole | null> {
  const row = await db
    .selectFrom('organisation_members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select('m.role')
    .where('m.organisation_id', '=', organisationId)
    .where('m.user_id', '=', userId)
    .where('u.status', '=', enabled)
    .executeTakeFirst();
  return row?.role ?? null;
}

export const listMembers = (db: Db, organisationId: number): Promise<MemberRow[]> =>
  db
    .selectFrom('organisation_members')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .orderBy('created_at')
    .orderBy('user_id')
    .limit(10_000)
    .execute();

/** Each member's teams. */
export const listPlaces = (db: Db, organisationId: number): Promise<{ team_id: number; user_id: number }[]> =>
  db
    .selectFrom('organisation_team_members as p')
    .innerJoin('organisation_teams as t', 't.id', 'p.team_id')
    .select(['p.team_id', 'p.user_id'])
    .where('t.organisation_id', '=', organisationId)
    .orderBy('p.team_id')
    .limit(50_000)
    .execute();

/** Locks an organisation's roles until the transaction ends: two owners must not leave at once. */
export async function holdMembers(tx: Db, organisationId: number): Promise<void> {
  const held = tx.selectFrom('organisations').select('id').where('id', '=', organisationId);
  await (engineOf(tx) === 'postgres' ? held.forUpdate() : held).execute();
}

export const countOwners = (tx: Db, organisationId: number): Promise<number> =>
  countRows(
    tx.selectFrom('organisation_members').where('organisation_id', '=', organisationId).where('role', '=', 'owner'),
  );

/** An existing member keeps their role. */
export async function addMember(tx: Db, member: Omit<MemberRow, 'scim_user_id'>): Promise<boolean> {
  const made = await tx
    .insertInto('organisation_members')
    .values(member)
    .onConflict((c) => c.columns(['organisation_id', 'user_id']).doNothing())
    .executeTakeFirst();
  return (made.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function setRole(tx: Db, organisationId: number, userId: number, role: MemberRole): Promise<void> {
  await updateRows(tx, 'organisation_members', { organisation_id: organisationId, user_id: userId }, { role });
}

/** Including team memberships, and links that were sent to their address: they must not return by an earlier one. */
export async function removeMember(tx: Db, organisationId: number, userId: number): Promise<void> {
  const teams = tx.selectFrom('organisation_teams').select('id').where('organisation_id', '=', organisationId);
  await tx
    .deleteFrom('organisation_team_members')
    .where('user_id', '=', userId)
    .where('team_id', 'in', teams)
    .execute();
  const addresses = tx.selectFrom('users').where('id', '=', userId).where('email_verified', '=', 1);
  await tx
    .deleteFrom('organisation_invitations')
    .where('organisation_id', '=', organisationId)
    .where('email', '<>', '')
    .where(sql`lower(email)`, 'in', addresses.select(sql`lower(email)`.as('address')))
    .execute();
  await deleteRows(tx, 'organisation_members', { organisation_id: organisationId, user_id: userId });
}

/**
 * The successor when somebody leaves: an owner, else an administrator before a member, the longest-standing first. Null
 * for nobody.
 */
export async function nextOwner(tx: Db, organisationId: number, leaving: number): Promise<number | null> {
  const rows = await tx
    .selectFrom('organisation_members')
    .select(['user_id', 'role'])
    .where('organisation_id', '=', organisationId)
    .where('user_id', '<>', leaving)
    .where('role', 'in', ['owner', 'admin', 'member'])
    .orderBy((e) => e.case().when('role', '=', 'owner').then(0).else(1).end())
    .orderBy('role')
    .orderBy('created_at')
    .orderBy('user_id')
    .limit(1)
    .execute();
  return rows[0]?.user_id ?? null;
}
