import {
  type Expression,
  type ExpressionBuilder,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import { findRow } from '../../platform/db/find-row.ts';
import { pageOfFew, type Range } from '../../platform/db/list-page.ts';
import type { Db, Tables } from '../../platform/db/tables.ts';
import type { ScimUserRow } from './tables.ts';
import './tables.ts';

/** What a list is sorted by (RFC 7644 §3.4.2.3), before the id. */
export interface Sorting {
  absent: RawBuilder<SqlBool>;
  by: RawBuilder<unknown>;
  direction: 'asc' | 'desc';
}

export const inOrder =
  (sorting: Sorting | null) =>
  <DB, TB extends keyof DB, O>(found: SelectQueryBuilder<DB, TB, O>) =>
    sorting ? found.orderBy(sorting.absent, sorting.direction).orderBy(sorting.by, sorting.direction) : found;

/** Selects rows of a table. */
export type Condition<T extends keyof Tables> = (e: ExpressionBuilder<Tables, T>) => Expression<SqlBool>;

export const findScimUser = (db: Db, organisationId: number, id: number): Promise<ScimUserRow | null> =>
  findRow(db, 'organisation_scim_users', { id, organisation_id: organisationId });

/** Whether another entry has the name. */
export async function isNameTaken(db: Db, organisationId: number, userKey: string, besides: number): Promise<boolean> {
  const row = await db
    .selectFrom('organisation_scim_users')
    .select('id')
    .where('organisation_id', '=', organisationId)
    .where('user_key', '=', userKey)
    .where('id', '<>', besides)
    .executeTakeFirst();
  return row !== undefined;
}

export type ScimUserValues = Omit<ScimUserRow, 'id' | 'organisation_id' | 'created_at' | 'kept_out'> &
  Partial<Pick<ScimUserRow, 'kept_out'>>;

export const insertScimUser = (db: Db, row: Omit<ScimUserRow, 'id' | 'kept_out'>): Promise<ScimUserRow> =>
  db.insertInto('organisation_scim_users').values(row).returningAll().executeTakeFirstOrThrow();

export const updateScimUser = (db: Db, id: number, values: ScimUserValues): Promise<ScimUserRow> =>
  db.updateTable('organisation_scim_users').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

export async function deleteScimUser(db: Db, id: number): Promise<void> {
  await db.deleteFrom('organisation_scim_users').where('id', '=', id).execute();
}

export function pageScimUsers(
  db: Db,
  organisationId: number,
  matches: Condition<'organisation_scim_users'>,
  range: Range,
  sorting: Sorting | null = null,
): Promise<{ rows: ScimUserRow[]; total: number }> {
  const found = db
    .selectFrom('organisation_scim_users')
    .where('organisation_id', '=', organisationId)
    .where((e) => matches(e));
  return pageOfFew(found.$call(inOrder(sorting)).selectAll().orderBy('id'), range);
}

/** Number of directory entries, and of those that are members. */
export async function countScimUsers(db: Db, organisationId: number): Promise<{ people: number; joined: number }> {
  const { people, joined } = await db
    .selectFrom('organisation_scim_users as s')
    .leftJoin('organisation_members as m', 'm.scim_user_id', 's.id')
    .select((e) => [e.fn.countAll<number>().as('people'), e.fn.count<number>('m.user_id').as('joined')])
    .where('s.organisation_id', '=', organisationId)
    .executeTakeFirstOrThrow();
  return { people: Number(people), joined: Number(joined) };
}

/**
 * Links members to directory entries by verified address, permanently, even if the address changes. Under the lock on
 * members; optionally for one address. Returns whether any was linked. The statement is the same whether or not an
 * account exists.
 */
export async function tieMembers(tx: Db, organisationId: number, address?: string): Promise<boolean> {
  const meant = sql<
    number | null
  >`(select s.id from organisation_scim_users s join users u on lower(u.email) = s.address
    where u.id = organisation_members.user_id and u.email_verified = 1 and u.email <> ''
      and s.organisation_id = ${organisationId}
      and not exists (select 1 from organisation_members taken where taken.scim_user_id = s.id)
    order by s.id limit 1)`;
  const { numUpdatedRows } = await tx
    .updateTable('organisation_members')
    .set({ scim_user_id: meant })
    .where('organisation_id', '=', organisationId)
    .where('scim_user_id', 'is', null)
    .where(meant, 'is not', null)
    .$if(address !== undefined, (query) =>
      query.where('user_id', 'in', (e) =>
        e
          .selectFrom('users')
          .select('id')
          .where(sql`lower(email)`, '=', address!)
          .where('email_verified', '=', 1)
          .where('email', '<>', ''),
      ),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whether the directory lists this address as deactivated. */
export async function isDeactivated(tx: Db, organisationId: number, address: string): Promise<boolean> {
  const rows = await tx
    .selectFrom('organisation_scim_users')
    .select('active')
    .where('address', '=', address)
    .where('address', '<>', '')
    .where('organisation_id', '=', organisationId)
    .execute();
  return rows.length > 0 && rows.every(({ active }) => active !== 1);
}

/** The entries that name a member, by having joined or by address, no longer let them join; or do so again. */
export async function keepOut(tx: Db, organisationId: number, userId: number, isOut: boolean): Promise<void> {
  await tx
    .updateTable('organisation_scim_users')
    .set({ kept_out: Number(isOut) })
    .where('organisation_id', '=', organisationId)
    .where((e) =>
      e.or([
        e(
          'id',
          'in',
          e
            .selectFrom('organisation_members')
            .select('scim_user_id')
            .where('organisation_id', '=', organisationId)
            .where('user_id', '=', userId)
            .where('scim_user_id', 'is not', null),
        ),
        e(
          'address',
          'in',
          e
            .selectFrom('users')
            .select(sql<string>`lower(email)`.as('address'))
            .where('id', '=', userId)
            .where('email_verified', '=', 1)
            .where('email', '<>', ''),
        ),
      ]),
    )
    .execute();
}

/** Null if nobody has joined. */
export async function memberMeant(tx: Db, scimUserId: number): Promise<number | null> {
  const row = await tx
    .selectFrom('organisation_members')
    .select('user_id')
    .where('scim_user_id', '=', scimUserId)
    .executeTakeFirst();
  return row?.user_id ?? null;
}

/** Entries waiting for a user with this address, in organisations they are not in. */
export const placesWaiting = (
  db: Db,
  userId: number,
  address: string,
): Promise<{ id: number; organisation_id: number; organisation: string }[]> =>
  db
    .selectFrom('organisation_scim_users as s')
    .innerJoin('organisations as o', 'o.id', 's.organisation_id')
    .select(['s.id', 's.organisation_id', 'o.name as organisation'])
    .where('s.address', '=', address)
    .where('s.address', '<>', '')
    .where('s.active', '=', 1)
    .where('s.kept_out', '=', 0)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('organisation_members as m')
            .select('m.user_id')
            .whereRef('m.organisation_id', '=', 's.organisation_id')
            .where((is) => is.or([is('m.user_id', '=', userId), is('m.scim_user_id', '=', is.ref('s.id'))])),
        ),
      ),
    )
    .orderBy('s.id')
    .limit(100)
    .execute();
