import { sql } from 'kysely';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import type { AllotmentId } from './port.ts';
import './tables.ts';

/** How processes coordinate their allotments, and how those of a dead process are recovered. */

export async function openWriter(db: Db, owner: string): Promise<void> {
  await db.insertInto('billing_writers').values({ owner, batch: 0 }).execute();
}

/** Null if other processes considered this one dead. */
export async function lastBatch(db: Db, owner: string): Promise<number | null> {
  const row = await db.selectFrom('billing_writers').select('batch').where('owner', '=', owner).executeTakeFirst();
  return row?.batch ?? null;
}

export async function keptIn(db: Db, owner: string, { user_id, key_id }: AllotmentId): Promise<number> {
  const found = db.selectFrom('billing_allotments').where('owner', '=', owner);
  const one = found.where('user_id', '=', user_id).where('key_id', '=', key_id);
  const { kept } = await one.select((e) => e.fn.sum('kept').as('kept')).executeTakeFirstOrThrow();
  return Number(kept ?? 0);
}

/** A user's balance with everything that is held of it, as the ledger shows it. */
export async function balanceOf(db: Db, userId: number): Promise<number> {
  const { rows } = await sql<{ balance: number }>`select quota
      + coalesce((select sum(kept) from billing_allotments p where p.user_id = users.id and p.key_id = 0), 0)
      + coalesce((select sum(amount) from billing_holds h where h.user_id = users.id and h.owner = ''), 0) as balance
    from users where id = ${userId}`.execute(db);
  return Number(rows[0]?.balance ?? 0);
}

/** Marks the allotments of all other processes as wanted, so that they return what they do not need. */
export async function markWanted(db: Db, owner: string, { user_id, key_id }: AllotmentId): Promise<void> {
  const others = db.updateTable('billing_purses').set({ wanted: 1 }).where('owner', '<>', owner);
  await others.where('user_id', '=', user_id).where('key_id', '=', key_id).where('kept', '>', 0).execute();
}

export const findWanted = (db: Db, owner: string): Promise<AllotmentId[]> =>
  db
    .selectFrom('billing_purses')
    .select(['user_id', 'key_id'])
    .where('owner', '=', owner)
    .where('wanted', '>', 0)
    .execute();

/** Owners that left rows behind and are not registered as alive. */
export async function findDeadOwners(db: Db): Promise<string[]> {
  const { rows } = await sql<{ owner: string }>`select owner from (
      select owner from billing_writers union select owner from billing_purses
      union select owner from billing_holds where owner <> '' union select owner from usage_days_open
      union select owner from billing_reserves) as parts
    where owner not in (select id from owners)`.execute(db);
  return rows.map(({ owner }) => owner);
}

const sumOf = (column: string, whose: string, owner: string) =>
  sql`coalesce((select sum(p.${sql.raw(column)}) from billing_purses p where p.owner = ${owner} and ${sql.raw(whose)}), 0)`;

/**
 * Recovers the allotments of a dead process: returns what is in them to the balances, and adds their sums to the rows
 * they belong to. The writer's row is deleted first, so that a batch in flight is either committed before or fails.
 */
export async function emptyAllotments(tx: Db, owner: string): Promise<void> {
  await tx.deleteFrom('billing_writers').where('owner', '=', owner).execute();
  if (engineOf(tx) === 'postgres') await lockInOrder(tx, owner);
  const ofUser = 'p.user_id = users.id and p.key_id = 0';
  await sql`update users set quota = quota + ${sumOf('kept', ofUser, owner)},
      used_quota = used_quota + ${sumOf('used', ofUser, owner)},
      request_count = request_count + ${sumOf('requests', ofUser, owner)}
    where id in (select user_id from billing_purses where owner = ${owner} and key_id = 0)`.execute(tx);
  const ofKey = 'p.user_id = api_keys.user_id and p.key_id = api_keys.id';
  await sql`update api_keys set remain_quota = remain_quota + ${sumOf('kept', ofKey, owner)},
      used_quota = used_quota + ${sumOf('used', ofKey, owner)}
    where id in (select key_id from billing_purses where owner = ${owner} and key_id > 0)`.execute(tx);
  const ofWindow = 'p.user_id = 0 and p.key_id = -budget_windows.id';
  await sql`update budget_windows set remain = remain + ${sumOf('kept', ofWindow, owner)},
      used = used + ${sumOf('used', ofWindow, owner)}
    where id in (select -key_id from billing_purses where owner = ${owner} and key_id < 0)`.execute(tx);
  await tx.deleteFrom('billing_purses').where('owner', '=', owner).execute();
  await returnReserves(tx, owner);
  await sql`insert into usage_days (user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota)
    select user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota from usage_days_open
    where owner = ${owner} order by user_id, day, model_id, key_id
    on conflict (user_id, day, model_id, key_id) do update set requests = usage_days.requests + excluded.requests,
      prompt_tokens = usage_days.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = usage_days.completion_tokens + excluded.completion_tokens,
      quota = usage_days.quota + excluded.quota`.execute(tx);
  await tx.deleteFrom('usage_days_open').where('owner', '=', owner).execute();
}

/**
 * What a process of the previous release had reserved. Deleting the row decides which of several processes returns it.
 */
async function returnReserves(tx: Db, owner: string): Promise<void> {
  const { rows } = await sql<{ user_id: number; key_id: number; amount: number; key_amount: number }>`delete from
    billing_reserves where owner = ${owner} returning user_id, key_id, amount, key_amount`.execute(tx);
  for (const { user_id, amount } of rows.toSorted((a, b) => a.user_id - b.user_id))
    await sql`update users set quota = quota + ${amount} where id = ${user_id}`.execute(tx);
  for (const { key_id, key_amount } of rows.toSorted((a, b) => a.key_id - b.key_id))
    await sql`update api_keys set remain_quota = remain_quota + ${key_amount} where id = ${key_id}`.execute(tx);
}

/** Locks in the same order as every top-up: users, then keys, then windows, each by id. */
async function lockInOrder(tx: Db, owner: string): Promise<void> {
  await sql`select id from users where id in (select user_id from billing_purses where owner = ${owner})
    order by id for no key update`.execute(tx);
  await sql`select id from api_keys where id in (select key_id from billing_purses where owner = ${owner})
    order by id for no key update`.execute(tx);
  await sql`select id from budget_windows where id in (select -key_id from billing_purses where owner = ${owner})
    order by id for no key update`.execute(tx);
}

/** Whether another process has reserved some of it. */
export async function isReservedElsewhere(db: Db, owner: string, { user_id, key_id }: AllotmentId): Promise<boolean> {
  const others = db.selectFrom('billing_allotments').where('owner', '<>', owner);
  const found = others.where('user_id', '=', user_id).where('key_id', '=', key_id);
  const { kept } = await found.select((e) => e.fn.sum('kept').as('kept')).executeTakeFirstOrThrow();
  return Number(kept ?? 0) > 0;
}
