import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { countedPast, countUpTo } from '../../platform/db/pages.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { offsetOf, type Page } from '../../platform/http/paging.ts';
import type { User } from '../user.ts';
import { toUser } from './users.ts';

/*
 * Users by any part of a name. The index knows every three characters in a row (migration 0012); it finds whoever has all of
 * those that are asked for, and comparing leaves whoever has them in one piece.
 */

/** More of them narrow nothing any more. */
const mostGrams = 24;

/** In hexadecimal, so that neither index takes any of them for a word of its own language. */
function gramsOf(text: string): string[] {
  const characters = Array.from(text);
  const grams = characters
    .slice(0, Math.max(1, characters.length - 2))
    .map((_, i) => characters.slice(i, i + 3).join(''));
  return [...new Set(grams)].slice(0, mostGrams).map((gram) => Buffer.from(gram).toString('hex'));
}

/** From where to take users as `u`, of which only those that may match, and by what they are in order there. */
function candidates(db: Db, text: string): { from: RawBuilder<unknown>; order: RawBuilder<unknown> } {
  const grams = gramsOf(text);
  // Of one or two characters the index knows what begins with them.
  const whole = Array.from(text).length > 2;
  if (engineOf(db) === 'postgres') {
    const query = grams.map((gram) => (whole ? gram : `${gram}:*`)).join(' & ');
    const names = sql`lower(u.username) || ' ' || lower(u.display_name) || ' ' || lower(u.email)`;
    return { from: sql`users as u where svc_grams(${names}) @@ ${query}::text::tsquery`, order: sql`u.id` };
  }
  const query = grams.map((gram) => (whole ? gram.toUpperCase() : `${gram.toUpperCase()}*`)).join(' ');
  const from = sql`users_names as f cross join users as u on u.id = f.rowid where users_names match ${query}`;
  return { from, order: sql`f.rowid` };
}

const nameColumns = ['username', 'display_name', 'email'] as const;
type NameColumn = (typeof nameColumns)[number];

/** SQLite knows no escape character unless told. */
function has(text: string, names: readonly NameColumn[]): RawBuilder<SqlBool> {
  const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  const each = names.map((name) => sql`lower(${sql.ref(`u.${name}`)}) like ${pattern} escape '\\'`);
  return sql<SqlBool>`(${sql.join(each, sql` or `)})`;
}

/** Users of these names, at most `most`. */
export async function usersCalled(
  db: Db,
  text: string,
  most: number,
  names: readonly NameColumn[] = nameColumns,
): Promise<number[]> {
  const { from, order } = candidates(db, text.toLowerCase());
  const { rows } = await sql<{ id: number }>`select u.id as id from ${from} and ${has(text, names)}
    order by ${order} limit ${most}`.execute(db);
  return rows.map((row) => row.id);
}

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
    const called = await usersCalled(db, q, offset + page.page_size + calledPast);
    return { users: await usersOf(db, called.slice(offset, offset + page.page_size)), total: called.length };
  }
  const matching = db
    .selectFrom('users as u')
    .select('u.id')
    .$if(ids !== undefined, (query) => query.where('u.id', 'in', ids!))
    .$if(q !== '', (query) => query.where(has(q, nameColumns)))
    .orderBy('u.id');
  const rows = await matching.limit(page.page_size).offset(offset).execute();
  const found = rows.map((row) => row.id);
  return { users: await usersOf(db, found), total: await countUpTo(db, matching, most) };
}

async function usersOf(db: Db, ids: number[]): Promise<User[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('users_now').selectAll().where('id', 'in', ids).orderBy('id').execute();
  return rows.map(toUser);
}
