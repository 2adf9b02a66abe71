import { type Generated, type Selectable, sql } from 'kysely';
import { findRow } from '../../platform/db/find-row.ts';
import { countRows } from '../../platform/db/list-page.ts';
import type { Db } from '../../platform/db/tables.ts';
import { updateRows } from '../../platform/db/update-rows.ts';
import { roles, statuses, type User } from '../user.ts';

interface UsersTable {
  id: Generated<number>;
  username: string;
  /** The name in lower case, unique. */
  username_key: string;
  password_hash: string;
  display_name: string;
  avatar_url: string;
  email: string;
  email_verified: number;
  role: number;
  status: number;
  group: string;
  /** The balance without processes' allotments: changed by billing only; `users_now` adds them up. */
  quota: number;
  used_quota: Generated<number>;
  request_count: Generated<number>;
  created_at: number;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    users: UsersTable;
    /** Including allotments of processes, and what they charged. */
    users_now: UsersTable;
  }
}

export type UserRow = Selectable<UsersTable>;

export function toUser(row: Omit<UserRow, 'password_hash' | 'username_key'>): User {
  return {
    id: row.id,
    username: row.username,
    display_name: row.display_name,
    avatar_url: row.avatar_url,
    email: row.email,
    email_verified: row.email_verified === 1,
    role: row.role,
    status: row.status,
    group: row.group,
    quota: row.quota,
    used_quota: row.used_quota,
    request_count: row.request_count,
    created_at: row.created_at,
  };
}

export type NewUser = Pick<
  UserRow,
  'username' | 'password_hash' | 'display_name' | 'email' | 'role' | 'quota' | 'created_at'
>;

/** Null if the name is taken. */
export async function insertUser(
  db: Db,
  user: NewUser & Partial<Pick<UserRow, 'status' | 'group'>>,
): Promise<User | null> {
  const row = await db
    .insertInto('users')
    .values({
      status: statuses.enabled,
      group: 'default',
      ...user,
      username_key: user.username.toLowerCase(),
      avatar_url: '',
      email_verified: 0,
    })
    .onConflict((c) => c.column('username_key').doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ? toUser(row) : null;
}

export const findUserByName = (db: Db, username: string): Promise<UserRow | null> =>
  findRow(db, 'users_now', { username_key: username.toLowerCase() });

/** The original root user, unless deleted. */
export async function findFirstRoot(db: Db): Promise<{ id: number } | null> {
  const roots = db
    .selectFrom('users')
    .select('id')
    .where('role', '=', roles.root)
    .where('status', '=', statuses.enabled);
  return (await roots.orderBy('id').limit(1).executeTakeFirst()) ?? null;
}

/** The user with this verified address, by the index of verified addresses. */
export async function findVerified(db: Db, email: string): Promise<UserRow | null> {
  const row = await db
    .selectFrom('users')
    .selectAll()
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .where('email_verified', '=', 1)
    .where('email', '<>', '')
    .executeTakeFirst();
  return row ?? null;
}

export const findUserRow = (db: Db, id: number): Promise<UserRow | null> => findRow(db, 'users_now', { id });

export async function findUser(db: Db, id: number): Promise<User | null> {
  const row = await findUserRow(db, id);
  return row ? toUser(row) : null;
}

export type UserChange = Partial<
  Pick<
    UserRow,
    'display_name' | 'avatar_url' | 'email' | 'email_verified' | 'password_hash' | 'role' | 'status' | 'group'
  >
>;

/** Conditions checked again with the write, as others may write meanwhile. */
export interface ChangeTerms {
  passwordHash?: string;
  /** The verified address. */
  email?: string;
  /** This administrator outranks the user, and the role to assign. */
  byAdmin?: number | undefined;
}

/** Null if the user does not exist, or a condition fails. A change that revokes access ends the sessions. */
export async function changeUser(
  db: Db,
  id: number,
  change: UserChange,
  { passwordHash, email, byAdmin }: ChangeTerms = {},
): Promise<User | null> {
  if (Object.keys(change).length === 0) return findUser(db, id);
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .updateTable('users')
      .set({ ...unprovenUnlessKept(change.email), ...change })
      .where('id', '=', id)
      .$if(passwordHash !== undefined, (q) => q.where('password_hash', '=', passwordHash!))
      .$if(email !== undefined, (q) => q.where('email', '=', email!))
      .$if(byAdmin !== undefined, (q) => q.where((e) => e.exists(adminAbove(byAdmin!, change.role ?? 0))))
      .returning('id')
      .executeTakeFirst();
    if (row && endsWaysIn(change)) await tx.deleteFrom('sessions').where('user_id', '=', id).execute();
    return row ? findUser(tx, id) : null;
  });
}

/** The same password with another hash, so sessions stay. False if the password was changed meanwhile. */
export const replaceHash = (db: Db, id: number, before: string, after: string): Promise<boolean> =>
  updateRows(db, 'users', { id, password_hash: before }, { password_hash: after });

/**
 * A new address is unverified; the same one in other letters is not new, as nowhere here. Compared in the statement,
 * since it may have changed before.
 */
const unprovenUnlessKept = (email: string | undefined) =>
  email === undefined
    ? {}
    : { email_verified: sql<number>`case when lower(email) = ${email.toLowerCase()} then email_verified else 0 end` };

/** Including what it represents, in a transaction. */
export async function renameAccount(tx: Db, id: number, display_name: string): Promise<void> {
  await tx.updateTable('users').set({ display_name }).where('id', '=', id).execute();
}

const endsWaysIn = ({ password_hash, status }: UserChange): boolean =>
  password_hash !== undefined || (status !== undefined && status !== statuses.enabled);

const adminAbove = (adminId: number, roleGiven: number) =>
  sql<boolean>`(select 1 from users as admin where admin.id = ${adminId} and admin.status = ${statuses.enabled}
    and admin.role > users.role and admin.role > ${roleGiven})`;

export const countUsers = (db: Db): Promise<number> => countRows(db.selectFrom('users'));
