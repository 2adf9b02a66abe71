import { called, has, type Named } from '../../platform/db/names.ts';
import { countedPast, countUpTo } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import { offsetOf, type Page } from '../../platform/http/paging.ts';
import type { User } from '../user.ts';
import { toUser } from './users.ts';

const named = {
  table: 'users',
  index: 'users_names',
  columns: ['username', 'display_name', 'email'],
} as const satisfies Named;
type NameColumn = (typeof named.columns)[number];

/** Users of these names, at most `most`. */
export const usersCalled = (
  db: Db,
  text: string,
  most: number,
  columns: readonly NameColumn[] = named.columns,
): Promise<number[]> => called(db, named, { text, most, columns });

/** Counted past a page of users by name: PostgreSQL takes the names of each of them apart where most users have the text. */
const calledPast = 100;

export async function listUsers(
  db: Db,
  page: Page,
  { q, ids }: { q: string; ids?: number[] },
): Promise<{ users: User[]; total: number }> {
  const offset = offsetOf(page);
  const most = offset + page.page_size + countedPast;
  if (q !== '' && ids === undefined) {
    const found = await usersCalled(db, q, offset + page.page_size + calledPast);
    return { users: await usersOf(db, found.slice(offset, offset + page.page_size)), total: found.length };
  }
  const matching = db
    .selectFrom('users as t')
    .select('t.id')
    .$if(ids !== undefined, (query) => query.where('t.id', 'in', ids!))
    .$if(q !== '', (query) => query.where(has(q, named.columns)))
    .orderBy('t.id');
  const rows = await matching.limit(page.page_size).offset(offset).execute();
  const found = rows.map((row) => row.id);
  return { users: await usersOf(db, found), total: await countUpTo(db, matching, most) };
}

async function usersOf(db: Db, ids: number[]): Promise<User[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('users_now').selectAll().where('id', 'in', ids).orderBy('id').execute();
  return rows.map(toUser);
}

/** In the order of their ids, those of closed accounts too. */
export const usersAfter = (db: Db, id: number, most: number): Promise<{ id: number; username: string }[]> =>
  db.selectFrom('users').select(['id', 'username']).where('id', '>', id).orderBy('id').limit(most).execute();

/** Names of users by their ids. */
export async function userNamesOf(db: Db, ids: number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('users').select(['id', 'username']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, username }) => [id, username]));
}
