import { deleteRows } from '../../platform/db/delete-rows.ts';
import { findRow } from '../../platform/db/find-row.ts';
import { countRows } from '../../platform/db/list-page.ts';
import { resealing } from '../../platform/db/reseal.ts';
import type { Db } from '../../platform/db/tables.ts';
import { enabled, type MemberRole } from '../rights.ts';
import type { OrganisationRow } from './tables.ts';
import './tables.ts';

export type NewOrganisation = Pick<
  OrganisationRow,
  'name' | 'time_zone' | 'balance' | 'account_id' | 'webhook_secret' | 'created_at'
>;

/** With its first owner. In a transaction. */
export async function insertOrganisation(tx: Db, given: NewOrganisation, ownerId: number): Promise<OrganisationRow> {
  const row = await tx.insertInto('organisations').values(given).returningAll().executeTakeFirstOrThrow();
  await tx
    .insertInto('organisation_members')
    .values({ organisation_id: row.id, user_id: ownerId, role: 'owner', created_at: given.created_at })
    .execute();
  return row;
}

export const findOrganisation = (db: Db, id: number): Promise<OrganisationRow | null> =>
  findRow(db, 'organisations', { id });

/** A user's organisation; it cannot be used unless its account is enabled. */
export type OrganisationOf = OrganisationRow & { role: MemberRole; account_status: number };

const membershipsIn = (db: Db, userId: number) =>
  db
    .selectFrom('organisation_members as m')
    .innerJoin('organisations as o', 'o.id', 'm.organisation_id')
    .innerJoin('users as a', 'a.id', 'o.account_id')
    .selectAll('o')
    .select(['m.role', 'a.status as account_status'])
    .where('m.user_id', '=', userId);

export const findMembership = async (db: Db, organisationId: number, userId: number): Promise<OrganisationOf | null> =>
  (await membershipsIn(db, userId).where('o.id', '=', organisationId).executeTakeFirst()) ?? null;

export const organisationsOf = (db: Db, userId: number): Promise<OrganisationOf[]> =>
  membershipsIn(db, userId).orderBy('o.id').limit(500).execute();

export const countOrganisations = (db: Db, userId: number): Promise<number> =>
  countRows(db.selectFrom('organisation_members').where('user_id', '=', userId));

export type OrganisationChange = Partial<
  Pick<OrganisationRow, 'name' | 'time_zone' | 'balance' | 'webhook_url' | 'webhook_secret'>
>;

export async function changeOrganisation(
  db: Db,
  id: number,
  change: OrganisationChange,
): Promise<OrganisationRow | null> {
  const row = await db
    .updateTable('organisations')
    // An empty change is valid.
    .set({ ...change, id })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Everything that refers to it is deleted, except for its keys and usage. */
export const deleteOrganisation = (db: Db, id: number): Promise<boolean> => deleteRows(db, 'organisations', { id });

/** The organisation whose account this user is. */
export async function organisationOfAccount(db: Db, userId: number): Promise<number | null> {
  const row = await db
    .selectFrom('organisations')
    .select('id')
    .where('account_id', '=', userId)
    .where('keys_of', 'is', null)
    .where('person_id', 'is', null)
    .executeTakeFirst();
  return row?.id ?? null;
}

/**
 * Organisations without an owner who can log in, although their keys are valid. Excludes the hidden ones for personal
 * keys and limits.
 */
export const organisationsLeft = (db: Db, most: number): Promise<Pick<OrganisationRow, 'account_id' | 'name'>[]> =>
  db
    .selectFrom('organisations as o')
    .innerJoin('users as account', 'account.id', 'o.account_id')
    .select(['o.account_id', 'o.name'])
    .where('o.keys_of', 'is', null)
    .where('o.person_id', 'is', null)
    .where('account.status', '=', enabled)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('organisation_members as m')
            .innerJoin('users as u', 'u.id', 'm.user_id')
            .select('m.user_id')
            .whereRef('m.organisation_id', '=', 'o.id')
            .where('m.role', '=', 'owner')
            .where('u.status', '=', enabled),
        ),
      ),
    )
    .orderBy('o.id')
    .limit(most)
    .execute();

export async function namesOfOrganisations(db: Db, ids: number[]): Promise<Map<number, string>> {
  const rows = await db.selectFrom('organisations').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export const resealOrganisations = resealing('organisations', ['id'], 'webhook_secret');
