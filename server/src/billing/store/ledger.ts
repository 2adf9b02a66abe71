import { sql } from 'kysely';
import { AppError } from '../../lib/errors.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Grant } from '../types.ts';
import type { LedgerRow } from './tables.ts';

/** Adds to a balance, or takes from it what is there, and says so in the ledger. */
export async function grantCredits(db: Db, grant: Grant, nowSeconds: number): Promise<LedgerRow> {
  return db.transaction().execute(async (tx) => {
    // The balance is identity's column; billing alone changes it.
    const changed = await sql<{ quota: number }>`update users set quota = quota + ${grant.quota}
      where id = ${grant.userId} and quota + ${grant.quota} >= 0 and quota + ${grant.quota} <= ${Number.MAX_SAFE_INTEGER}
      returning quota`.execute(tx);
    const balance = changed.rows[0]?.quota;
    if (balance === undefined) throw await refusal(tx, grant);
    return tx
      .insertInto('ledger')
      .values({
        user_id: grant.userId,
        kind: 'grant',
        amount: grant.quota,
        balance_after: balance,
        request_id: '',
        key_id: 0,
        model_id: '',
        shortfall: 0,
        note: grant.note,
        actor_id: grant.by,
        created_at: nowSeconds,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

async function refusal(db: Db, { userId, quota }: Grant): Promise<AppError> {
  const user = await sql`select 1 from users where id = ${userId}`.execute(db);
  if (user.rows.length === 0) return new AppError('not_found', 'There is no such user.');
  const reason = quota < 0 ? 'is more than the balance holds' : 'would make the balance too large';
  return new AppError('invalid_value', `quota ${reason}.`, { param: 'quota' });
}

/** Counting past this would stop a synchronous database for too long; totals stay at it. */
const mostCounted = 100_000;

export async function pageLedger(
  db: Db,
  userId: number | undefined,
  range: { limit: number; offset: number },
): Promise<{ entries: LedgerRow[]; total: number }> {
  const mine = () => {
    const all = db.selectFrom('ledger');
    return userId === undefined ? all : all.where('user_id', '=', userId);
  };
  const entries = await mine().selectAll().orderBy('id', 'desc').limit(range.limit).offset(range.offset).execute();
  const counted = await db
    .selectFrom(mine().select('id').limit(mostCounted).as('some'))
    .select((e) => e.fn.countAll<number>().as('n'))
    .executeTakeFirst();
  return { entries, total: Number(counted?.n ?? 0) };
}
