import { type SqlBool, sql } from 'kysely';
import { findRow } from '../../platform/db/find-row.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { MemberRole } from '../rights.ts';
import type { OrganisationKeyRow } from './tables.ts';
import './tables.ts';

export async function placeKey(db: Db, key: OrganisationKeyRow): Promise<void> {
  await db.insertInto('organisation_keys').values(key).execute();
}

/** The first writer wins. */
export async function placeKeyOnce(db: Db, key: OrganisationKeyRow): Promise<void> {
  await db
    .insertInto('organisation_keys')
    .values(key)
    .onConflict((c) => c.column('key_id').doNothing())
    .execute();
}

export const findPlacedKey = (db: Db, organisationId: number, keyId: number): Promise<OrganisationKeyRow | null> =>
  findRow(db, 'organisation_keys', { key_id: keyId, organisation_id: organisationId });

/** Selects a level. */
export interface KeyFilter {
  teamId?: number | undefined;
  memberId?: number | undefined;
  keyId?: number | undefined;
  /** Only keys of this member among those of the level. */
  holderId?: number | undefined;
}

/** Including deleted ones, since usage is listed by them. */
const placedAt = (db: Db, organisationId: number, { teamId, memberId, keyId, holderId }: KeyFilter) =>
  db
    .selectFrom('organisation_keys')
    .where('organisation_id', '=', organisationId)
    .$if(teamId !== undefined, (keys) => keys.where('team_id', '=', teamId!))
    .$if(memberId !== undefined, (keys) => keys.where('member_id', '=', memberId!))
    .$if(keyId !== undefined, (keys) => keys.where('key_id', '=', keyId!))
    .$if(holderId !== undefined, (keys) => keys.where('member_id', '=', holderId!));

/** As a part of another statement: an organisation may have had more keys than a statement can name. */
export const placedKeyIds = (db: Db, organisationId: number, filter: KeyFilter) =>
  placedAt(db, organisationId, filter).select('key_id');

interface ListedKeys extends KeyFilter {
  /** Without deleted keys, of which an organisation may have had thousands. */
  existing?: boolean;
  /** Only keys made before this one. */
  before?: number | undefined;
}

/** A longer list has to be read in parts. */
export const mostKeysAtOnce = 5_000;

export const listPlacedKeys = (
  db: Db,
  organisationId: number,
  { existing = false, before, ...filter }: ListedKeys = {},
): Promise<OrganisationKeyRow[]> =>
  placedAt(db, organisationId, filter)
    .selectAll()
    .$if(existing, (keys) => keys.where('key_id', 'in', (e) => e.selectFrom('api_keys').select('id')))
    .$if(before !== undefined, (keys) => keys.where('key_id', '<', before!))
    .orderBy('key_id', 'desc')
    .limit(mostKeysAtOnce)
    .execute();

/** A key's column for its place at a level. */
const placeColumns = { organisation: 'organisation_id', team: 'team_id', member: 'member_id', key: 'key_id' } as const;

/** A key and the id of its group at a level; 0 for none. */
export interface GroupedKey {
  key_id: number;
  group: number;
  name: string;
}

/** All keys ever, grouped. */
export const keysInGroups = (
  db: Db,
  organisationId: number,
  level: keyof typeof placeColumns,
  after: Pick<GroupedKey, 'group' | 'key_id'>,
  limit: number,
): Promise<GroupedKey[]> => {
  const group = sql<number>`coalesce(${sql.ref(placeColumns[level])}, 0)`;
  return db
    .selectFrom('organisation_keys')
    .select(['key_id', 'name', group.as('group')])
    .where('organisation_id', '=', organisationId)
    .where(sql<SqlBool>`(${group}, key_id) > (${after.group}, ${after.key_id})`)
    .orderBy(group)
    .orderBy('key_id')
    .limit(limit)
    .execute();
};

/** To another team, or to none. Running requests are charged where they were held. */
export async function moveKey(db: Db, keyId: number, teamId: number | null): Promise<void> {
  await db.updateTable('organisation_keys').set({ team_id: teamId }).where('key_id', '=', keyId).execute();
}

/** A key's place, and whether it still exists. */
export interface FoundPlace {
  organisation_id: number;
  team_id: number | null;
  member_id: number | null;
  /** Null if the organisation is gone. */
  account_id: number | null;
  account_status: number | null;
  balance: string | null;
  time_zone: string | null;
  /** Null if the team is gone, or there is none. */
  found_team: number | null;
  /** Null if the member is gone, or it is a team key. */
  role: MemberRole | null;
  /** Null if the member has left the team. */
  in_team: number | null;
}

export async function findKeyPlace(db: Db, keyId: number): Promise<FoundPlace | null> {
  const row = await db
    .selectFrom('organisation_keys as k')
    .leftJoin('organisations as o', 'o.id', 'k.organisation_id')
    .leftJoin('users as a', 'a.id', 'o.account_id')
    .leftJoin('organisation_teams as t', 't.id', 'k.team_id')
    .leftJoin('organisation_members as m', (join) =>
      join.onRef('m.organisation_id', '=', 'k.organisation_id').onRef('m.user_id', '=', 'k.member_id'),
    )
    .leftJoin('organisation_team_members as p', (join) =>
      join.onRef('p.team_id', '=', 'k.team_id').onRef('p.user_id', '=', 'k.member_id'),
    )
    .select(['k.organisation_id', 'k.team_id', 'k.member_id', 'o.account_id', 'o.balance', 'o.time_zone'])
    .select(['a.status as account_status', 't.id as found_team', 'm.role', 'p.user_id as in_team'])
    .where('k.key_id', '=', keyId)
    .executeTakeFirst();
  return row ?? null;
}

/** A name may be personal; the place stays, since usage is listed by it. */
export async function forgetKeyNames(db: Db, memberId: number): Promise<void> {
  await db.updateTable('organisation_keys').set({ name: '' }).where('member_id', '=', memberId).execute();
}
