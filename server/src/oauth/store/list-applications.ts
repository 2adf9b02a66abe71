import { type SqlBool, sql } from 'kysely';
import { countUpTo, pageOfMany, type Range } from '../../platform/db/list-page.ts';
import { idsByName, type NamedTable } from '../../platform/db/names.ts';
import type { Db } from '../../platform/db/tables.ts';
import { applicationStatus } from '../status.ts';
import type { ApplicationRow } from './tables.ts';

export function listOwned(db: Db, ownerId: number, range: Range): Promise<{ rows: ApplicationRow[]; total: number }> {
  const mine = db
    .selectFrom('oauth_applications')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('status', '<>', applicationStatus.deleted)
    .orderBy('id', 'desc');
  return pageOfMany(db, mine, range);
}

/** An owner's existing applications plus those created since a time, counted up to `most`. */
export const countOwned = (db: Db, ownerId: number, since: number, most: number): Promise<number> =>
  countUpTo(
    db,
    db
      .selectFrom('oauth_applications')
      .select('id')
      .where('owner_id', '=', ownerId)
      .where((e) => e.or([e('status', '<>', applicationStatus.deleted), e('created_at', '>', since)])),
    most,
  );

/** Null if it was not registered by a user. */
export type WithOwner = ApplicationRow & {
  owner_username: string | null;
  owner_display_name: string | null;
  owner_status: number | null;
};

export interface ApplicationFilter {
  /** Part of a name, or a whole client id. */
  q: string;
  /** Or owned by one of these. */
  owners?: number[];
  status?: number | undefined;
  /** Only of this owner. */
  ownerId?: number | undefined;
}

/** Newest first. */
export async function listAll(
  db: Db,
  filter: ApplicationFilter,
  range: Range,
): Promise<{ rows: WithOwner[]; total: number }> {
  if (filter.q !== '') {
    const { limit, offset } = range;
    const ids = await matching(db, filter, offset + limit + calledPast);
    return { rows: await withOwners(db, ids.slice(offset, offset + limit)), total: ids.length };
  }
  const newest = there(db, filter).select('t.id').orderBy('t.id', 'desc');
  const { rows, total } = await pageOfMany(db, newest, range);
  return {
    rows: await withOwners(
      db,
      rows.map(({ id }) => id),
    ),
    total,
  };
}

const there = (db: Db, { status, ownerId }: ApplicationFilter) =>
  db
    .selectFrom('oauth_applications as t')
    .where('t.status', '<>', applicationStatus.deleted)
    .$if(status !== undefined, (query) => query.where('t.status', '=', status!))
    .$if(ownerId !== undefined, (query) => query.where('t.owner_id', '=', ownerId!));

const named: NamedTable = {
  table: 'oauth_applications',
  index: 'oauth_applications_called',
  columns: ['name'],
  newestFirst: true,
};

/** Counted beyond a page when searching by name, as with users. */
const calledPast = 100;

async function matching(db: Db, filter: ApplicationFilter, most: number): Promise<number[]> {
  const { q, owners = [], status, ownerId } = filter;
  const owned = ownerId === undefined ? sql`` : sql`and t.owner_id = ${ownerId}`;
  const and = sql<SqlBool>`t.status <> ${applicationStatus.deleted} and t.status = ${status ?? sql.ref('t.status')} ${owned}`;
  const byName = await idsByName(db, named, { text: q, most, and });
  const some = there(db, filter).select('t.id').limit(most);
  // Each is ordered by an index; for all owners together they would have to be sorted.
  const parts = [
    some.where('t.client_id', '=', q),
    ...owners.map((owner) => some.where('t.owner_id', '=', owner).orderBy('t.id', 'desc')),
  ];
  const each = parts.map((part) => sql`select id from ${part} as part`);
  const others = await sql<{ id: number }>`${sql.join(each, sql` union all `)}`.execute(db);
  const ids = new Set([...byName, ...others.rows.map(({ id }) => id)]);
  return [...ids].sort((a, b) => b - a).slice(0, most);
}

async function withOwners(db: Db, ids: number[]): Promise<WithOwner[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('oauth_applications as a')
    .leftJoin('users as u', 'u.id', 'a.owner_id')
    .where('a.id', 'in', ids)
    .selectAll('a')
    .select(['u.username as owner_username', 'u.display_name as owner_display_name', 'u.status as owner_status'])
    .orderBy('a.id', 'desc')
    .execute();
}
