import { type SqlBool, sql } from 'kysely';
import { pageOfMany } from '../../platform/db/list-page.ts';
import { has, idsByName, type NamedTable } from '../../platform/db/names.ts';
import type { Db } from '../../platform/db/tables.ts';
import { type Page, rangeOf } from '../../platform/http/paging.ts';
import { type AccountNames, accountName, organisationMark, type User } from '../user.ts';
import { toUser } from './users.ts';

const named = {
  table: 'users',
  index: 'users_names',
  columns: ['username', 'display_name', 'email'],
} as const satisfies NamedTable;

/** Accounts whose displayed name contains this text, at most `most`. */
export const accountsCalled = (db: Db, text: string, most: number): Promise<number[]> =>
  idsByName(db, named, {
    ...{ text, most, columns: ['username', 'display_name'] },
    and: sql<SqlBool>`(${has(text, ['username'])} or t.username_key like ${`${organisationMark}%`})`,
  });

/** Counted beyond a page when searching by name: PostgreSQL re-checks each match if most users contain the text. */
const calledPast = 100;

export async function listUsers(
  db: Db,
  page: Page,
  { q, ids }: { q: string; ids?: number[] },
): Promise<{ users: User[]; total: number }> {
  const { limit, offset } = rangeOf(page);
  if (q !== '' && ids === undefined) {
    const found = await idsByName(db, named, { text: q, most: offset + limit + calledPast });
    return { users: await usersOf(db, found.slice(offset, offset + limit)), total: found.length };
  }
  const matching = db
    .selectFrom('users as t')
    .select('t.id')
    .$if(ids !== undefined, (query) => query.where('t.id', 'in', ids!))
    .$if(q !== '', (query) => query.where(has(q, named.columns)))
    .orderBy('t.id');
  const { rows, total } = await pageOfMany(db, matching, { limit, offset });
  return {
    users: await usersOf(
      db,
      rows.map((row) => row.id),
    ),
    total,
  };
}

async function usersOf(db: Db, ids: number[]): Promise<User[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('users_now').selectAll().where('id', 'in', ids).orderBy('id').execute();
  return rows.map(toUser);
}

const nameColumns = ['id', 'username', 'display_name'] as const;

/** By id, including closed accounts. */
export const usersAfter = (db: Db, id: number, most: number): Promise<Pick<User, (typeof nameColumns)[number]>[]> =>
  db.selectFrom('users').select(nameColumns).where('id', '>', id).orderBy('id').limit(most).execute();

/** Deleted ones are missing. */
export async function accountsOf(db: Db, ids: Iterable<number>): Promise<Map<number, AccountNames>> {
  const each = [...new Set(ids)];
  if (each.length === 0) return new Map();
  const rows = await db.selectFrom('users').select(nameColumns).where('id', 'in', each).execute();
  return new Map(rows.map((row) => [row.id, { username: row.username, account_name: accountName(row) }]));
}

/** Displayed names. */
export async function accountNamesOf(db: Db, ids: Iterable<number>): Promise<Map<number, string>> {
  const accounts = await accountsOf(db, ids);
  return new Map([...accounts].map(([id, { account_name }]) => [id, account_name]));
}
