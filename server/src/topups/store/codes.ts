import { findRow, hasRow } from '../../platform/db/find-row.ts';
import { countUpTo } from '../../platform/db/list-page.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { CodeRow } from './tables.ts';

export type NewCode = Omit<CodeRow, 'id' | 'used' | 'status'>;

/** Inserts all of them or none. */
export async function insertCodes(db: Db, codes: NewCode[]): Promise<CodeRow[]> {
  const rows = await db.insertInto('redemption_codes').values(codes).returningAll().execute();
  return rows.toSorted((a, b) => a.id - b.id);
}

export const findCode = (db: Db, hash: string): Promise<CodeRow | null> =>
  findRow(db, 'redemption_codes', { code_hash: hash });

export const findCodeById = (db: Db, id: number): Promise<CodeRow | null> => findRow(db, 'redemption_codes', { id });

/**
 * Uses a code once, in the transaction that credits its value: of concurrent attempts at the last use, one succeeds.
 * Each user can use a code once.
 */
export async function takeCode(
  tx: Db,
  { id, quota }: Pick<CodeRow, 'id' | 'quota'>,
  userId: number,
  now: number,
): Promise<'taken' | 'spent' | 'again'> {
  const taken = await tx
    .updateTable('redemption_codes')
    .set((e) => ({ used: e('used', '+', 1) }))
    .where('id', '=', id)
    .where('status', '=', 1)
    .whereRef('used', '<', 'uses')
    .where((e) => e.or([e('expires_at', '=', 0), e('expires_at', '>', now)]))
    .executeTakeFirst();
  if (taken.numUpdatedRows === 0n) return (await hasRedeemed(tx, id, userId)) ? 'again' : 'spent';
  const first = await tx
    .insertInto('redemptions')
    .values({ code_id: id, user_id: userId, quota, created_at: now })
    .onConflict((c) => c.columns(['code_id', 'user_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return first ? 'taken' : 'again';
}

const hasRedeemed = (db: Db, codeId: number, userId: number): Promise<boolean> =>
  hasRow(db, 'redemptions', { code_id: codeId, user_id: userId });

export async function setCodeStatus(db: Db, id: number, status: number): Promise<CodeRow | null> {
  const changed = db.updateTable('redemption_codes').set({ status }).where('id', '=', id).returningAll();
  return (await changed.executeTakeFirst()) ?? null;
}

const mostCounted = 100_000;

/** Newest first. */
export async function listCodes(
  db: Db,
  { limit, offset = 0, before }: { limit: number; offset?: number; before?: number | undefined },
): Promise<CodeRow[]> {
  return db
    .selectFrom('redemption_codes')
    .selectAll()
    .$if(before !== undefined, (codes) => codes.where('id', '<', before!))
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

export const countCodes = (db: Db): Promise<number> =>
  countUpTo(db, db.selectFrom('redemption_codes').select('id'), mostCounted);
