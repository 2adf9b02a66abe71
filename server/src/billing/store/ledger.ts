import { sql } from 'kysely';
import { AppError } from '../../lib/errors.ts';
import { findRow } from '../../platform/db/find-row.ts';
import { countUpTo } from '../../platform/db/list-page.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import type { Grant } from '../types.ts';
import { balanceOf } from './allotments.ts';
import { catchUp, fileUsage, isFiled } from './filing.ts';
import { usageColumns } from './port.ts';
import type { CreditRow, LedgerRow } from './tables.ts';
import type { UsageLog, UsagePlace } from './usage.ts';
import { timeRangeOf, within } from './usage-sums.ts';

/** Rolls back the transaction: the grant was already given. */
class AlreadyGiven extends Error {}

/**
 * Adds to a balance, or takes what it has, and records it in the ledger. With an idempotency id this happens once,
 * because balance, credit and id are written in one transaction.
 */
export async function grantCredits(db: Db, grant: Grant, nowSeconds: number): Promise<LedgerRow> {
  const { idempotencyId } = grant;
  const before = idempotencyId === undefined ? null : await creditOf(db, idempotencyId);
  if (before) return entryOfCredit(before);
  // The ledger shows charges made before the credit below it.
  await catchUp(db);
  try {
    return entryOfCredit(await db.transaction().execute((tx) => give(tx, grant, nowSeconds)));
  } catch (error) {
    if (!(error instanceof AlreadyGiven)) throw error;
    return entryOfCredit((await creditOf(db, idempotencyId!))!);
  }
}

async function give(tx: Db, grant: Grant, nowSeconds: number): Promise<CreditRow> {
  await grant.also?.(tx);
  // The column belongs to identity; only billing changes it.
  const changed = await sql`update users set quota = quota + ${grant.quota}
    where id = ${grant.userId} and quota + ${grant.quota} >= 0 and quota + ${grant.quota} <= ${Number.MAX_SAFE_INTEGER}
    returning id`.execute(tx);
  if (changed.rows.length === 0) throw await refusal(tx, grant);
  const credit = await tx
    .insertInto('credits')
    .values({
      user_id: grant.userId,
      amount: grant.quota,
      balance_after: await balanceOf(tx, grant.userId),
      note: grant.note,
      actor_id: grant.by,
      place: lastCharge(tx),
      idempotency_id: grant.idempotencyId ?? null,
      created_at: nowSeconds,
    })
    .onConflict((c) => c.column('idempotency_id').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!credit) throw new AlreadyGiven();
  return credit;
}

/** The highest id so far. PostgreSQL partitions the log by month and has no index by id alone. */
const lastCharge = (db: Db) =>
  engineOf(db) === 'postgres'
    ? sql<number>`coalesce(pg_sequence_last_value('usage_logs_ids'), 0)`
    : sql<number>`(select coalesce(max(id), 0) from usage_logs)`;

const creditOf = (db: Db, idempotencyId: number): Promise<CreditRow | null> =>
  findRow(db, 'credits', { idempotency_id: idempotencyId });

async function refusal(db: Db, { userId, quota }: Grant): Promise<AppError> {
  const user = await sql`select 1 from users where id = ${userId}`.execute(db);
  if (user.rows.length === 0) return new AppError('not_found', 'There is no such user.');
  const reason = quota < 0 ? 'exceeds the balance' : 'would make the balance too large';
  return new AppError('invalid_value', `quota ${reason}.`, { param: 'quota' });
}

/** Deeper offsets would block synchronous SQLite for too long; cursors have no limit. */
const mostEntries = 10_000;

/** How far beyond its page the ledger is counted: entries without cost are only recognised by reading them. */
const countedPast = 100;

/** The position of a page: the last charge and the last credit before it. */
export interface LedgerPlace {
  charge: UsagePlace;
  creditId: number;
}
const top: LedgerPlace = {
  charge: { created_at: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER },
  creditId: Number.MAX_SAFE_INTEGER,
};

/**
 * Newest first. Charges and credits are two tables, and merging them in SQL would read both completely. So the newest
 * of each are read and merged here. `next` is the position of the next page.
 */
export async function pageLedger(
  db: Db,
  userId: number | undefined,
  { limit, offset, after = top }: { limit: number; offset: number; after?: LedgerPlace | undefined },
): Promise<{ entries: LedgerRow[]; total: number; next: LedgerPlace | null }> {
  const needed = Math.min(offset + limit, mostEntries);
  const counted = needed + countedPast;
  const charges = await chargesOf(db, userId, counted, after.charge);
  const newest =
    (await charges
      ?.select(['id', ...usageColumns])
      .limit(needed)
      .execute()) ?? [];
  const credits = creditsOf(db, userId).where('id', '<', after.creditId);
  const given = await credits.selectAll().limit(needed).execute();
  const total =
    (charges ? await countUpTo(db, charges.select('id'), counted) : 0) +
    (await countUpTo(db, credits.select('id'), counted));
  const upTo = merge(newest, given).slice(0, needed);
  const entries = upTo.slice(offset);
  const next = entries.length < limit ? null : endOf(upTo, after);
  return { entries, total: Math.min(total, mostEntries), next };
}

function endOf(entries: LedgerRow[], after: LedgerPlace): LedgerPlace {
  const charge = entries.findLast((entry) => !isCredit(entry));
  const credit = entries.findLast(isCredit);
  return {
    charge: charge ? { created_at: charge.created_at, id: charge.id / 2 } : after.charge,
    creditId: credit ? (credit.id - 1) / 2 : after.creditId,
  };
}

/** The newest `needed` log entries that cost something; null if there are none. */
async function chargesOf(db: Db, userId: number | undefined, needed: number, after: UsagePlace) {
  await fileUsage(db);
  const to = after === top.charge ? undefined : after.created_at;
  const place = await timeRangeOf(db, { userId, to }, needed, { charged: true });
  if (!place) return null;
  return db
    .selectFrom('usage_logs')
    .where('quota', '>', 0)
    .where((e) => e.and([...within('created_at', place.from, place.to), ...isFiled(db)]))
    .where((e) => e.or([e('created_at', '<', after.created_at), e('id', '<', after.id)]))
    .$if(userId !== undefined, (charges) => charges.where('user_id', '=', userId!))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc');
}

const creditsOf = (db: Db, userId: number | undefined) =>
  db
    .selectFrom('credits')
    .$if(userId !== undefined, (credits) => credits.where('user_id', '=', userId!))
    .orderBy('id', 'desc');

function merge(charges: UsageLog[], credits: CreditRow[]): LedgerRow[] {
  const entries: LedgerRow[] = [];
  let next = 0;
  for (const charge of charges) {
    while (next < credits.length && credits[next]!.place >= charge.id) entries.push(entryOfCredit(credits[next++]!));
    entries.push(entryOfCharge(charge));
  }
  return [...entries, ...credits.slice(next).map(entryOfCredit)];
}

/** The lowest bit of an entry's id tells which table it comes from. */
const isCredit = (entry: LedgerRow): boolean => entry.id % 2 === 1;

const entryOfCharge = (row: UsageLog): LedgerRow => ({
  id: row.id * 2,
  user_id: row.user_id,
  kind: 'usage',
  amount: -row.quota,
  balance_after: row.balance_after,
  request_id: row.request_id,
  key_id: row.key_id,
  model_id: row.model_id,
  shortfall: row.shortfall,
  note: '',
  actor_id: 0,
  created_at: row.created_at,
});

const entryOfCredit = (row: CreditRow): LedgerRow => ({
  id: row.id * 2 + 1,
  user_id: row.user_id,
  kind: 'grant',
  amount: row.amount,
  balance_after: row.balance_after,
  request_id: '',
  key_id: 0,
  model_id: '',
  shortfall: 0,
  note: row.note,
  actor_id: row.actor_id,
  created_at: row.created_at,
});
