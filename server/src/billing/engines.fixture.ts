import { sql } from 'kysely';
import pino from 'pino';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { OpenDb } from '../platform/db/open.ts';
import type { Db } from '../platform/db/tables.ts';
import { type Owners, openOwners } from '../platform/durable/owners.ts';
import { type Billing, type BillingDeps, openBilling } from './billing.ts';
import { catchUp } from './store/filing.ts';

export { engines, type TestDb, type TestEngine, type Where } from '../platform/db/engines.fixture.ts';

export const silent = pino({ level: 'silent' });
let counter = 0;

/** The holds of a running request are known only to its own process. */
const living = new Map<Billing, Db>();
const heldBy = (db: Db, userId: number, keyId = 0): number =>
  [...living].reduce((sum, [billing, own]) => (own === db ? sum + billing.heldBy(userId, keyId) : sum), 0);

/** Billing as one process runs it; `stop` also removes the process from the list of owners. */
export async function openTestBilling(
  database: OpenDb,
  clock: Clock = systemClock,
  ownersClock?: Clock,
  through?: BillingDeps['through'],
): Promise<Billing & { owners: Owners }> {
  const owners = await openOwners({ db: database.db, log: silent, clock: ownersClock });
  const billing = await openBilling({ database, owners, clock, log: silent, ...(through && { through }) });
  living.set(billing, database.db);
  const stop = async () => {
    living.delete(billing);
    await billing.stop();
    await owners.leave();
  };
  return { ...billing, stop, owners };
}

/** Adds a user with a balance and returns its id. */
export async function addUser(db: Db, quota: number): Promise<number> {
  counter += 1;
  const name = `user-${counter}`;
  const { rows } = await sql<{ id: number }>`insert into users
    (username, username_key, password_hash, display_name, avatar_url, email, role, status, "group", quota, created_at)
    values (${name}, ${name}, '', ${name}, '', '', 1, 1, 'default', 0, 0) returning id`.execute(db);
  const { id } = rows[0]!;
  // Bypasses the ledger, so that it only has the entries of the test.
  await sql`update users set quota = ${quota} where id = ${id}`.execute(db);
  return id;
}

export async function addKey(db: Db, userId: number, remain: number, unlimited: boolean): Promise<number> {
  counter += 1;
  const { rows } = await sql<{ id: number }>`insert into api_keys
    (user_id, name, key_hash, key_start, key_end, status, created_time, accessed_time, expired_time, remain_quota,
     unlimited_quota, models, allowed_ips)
    values (${userId}, 'key', ${`hash-${counter}`}, '', '', 1, 0, 0, -1, ${remain}, ${unlimited ? 1 : 0}, '[]', '[]')
    returning id`.execute(db);
  return rows[0]!.id;
}

export interface Books {
  quota: number;
  used: number;
  requests: number;
  held: number;
  ledger: number;
  logs: number;
  days: number;
}

/** Every figure of one user that has to add up. */
export async function booksOf(db: Db, userId: number): Promise<Books> {
  await catchUp(db);
  const { rows } = await sql<Books>`select u.quota as quota, u.used_quota as used, u.request_count as requests,
    (select coalesce(sum(amount), 0) from billing_holds where user_id = u.id) as held,
    (select coalesce(sum(amount), 0) from credits where user_id = u.id)
      - (select coalesce(sum(quota), 0) from usage_logs where user_id = u.id) as ledger,
    (select coalesce(sum(quota), 0) from usage_logs where user_id = u.id) as logs,
    (select coalesce(sum(quota), 0) from usage_days_all where user_id = u.id) as days
    from users_now u where u.id = ${userId}`.execute(db);
  const row = rows[0]!;
  // Sums of 64-bit integers are `numeric` in PostgreSQL and arrive as text.
  const books = Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, Number(value)]),
  ) as unknown as Books;
  const held = heldBy(db, userId);
  return { ...books, quota: books.quota - held, held: books.held + held };
}

export async function keyOf(db: Db, id: number): Promise<{ remain: number; used: number }> {
  const { rows } = await sql<{ user: number; remain: number; used: number }>`select user_id as "user",
    remain_quota as remain, used_quota as used from api_keys_now where id = ${id}`.execute(db);
  const { user, remain, used } = rows[0]!;
  return { remain: Number(remain) - heldBy(db, user, id), used: Number(used) };
}

/** What all users together were charged, according to the totals and according to the sums per user. */
export async function chargedOverall(db: Db): Promise<{ totals: number; days: number }> {
  await catchUp(db);
  const { rows } = await sql<{ totals: number; days: number }>`select
    (select coalesce(sum(quota), 0) from usage_totals_all) as totals,
    (select coalesce(sum(quota), 0) from usage_days_all) as days`.execute(db);
  return { totals: Number(rows[0]!.totals), days: Number(rows[0]!.days) };
}
