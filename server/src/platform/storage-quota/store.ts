import type { Db } from '../db/tables.ts';

interface SumsTable {
  user_id: number;
  /** Includes what processes have reserved for future writes. */
  bytes: number;
  /** Number of recounts: of two concurrent ones only one is accepted. */
  counts: number;
  /** 0 if never counted. */
  counted_at: number;
}

declare module '../db/tables.ts' {
  interface Tables {
    kept_sums: SumsTable;
  }
}

export type Sum = Pick<SumsTable, 'bytes' | 'counts' | 'counted_at'>;
const shown = ['bytes', 'counts', 'counted_at'] as const;

/** A single statement, so that concurrent additions see each other. Null if the sum would exceed `most`. */
export async function addToSum(db: Db, userId: number, bytes: number, most: number): Promise<Sum | null> {
  if (bytes > most) return null;
  const row = await db
    .insertInto('kept_sums')
    .values({ user_id: userId, bytes, counts: 0, counted_at: 0 })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet((e) => ({ bytes: e('kept_sums.bytes', '+', bytes) }))
        .where('kept_sums.bytes', '<=', most - bytes),
    )
    .returning(shown)
    .executeTakeFirst();
  return row ?? null;
}

export async function readSum(db: Db, userId: number): Promise<Sum> {
  const row = await db.selectFrom('kept_sums').select(shown).where('user_id', '=', userId).executeTakeFirst();
  return row ?? { bytes: 0, counts: 0, counted_at: 0 };
}

/** Corrects the sum but keeps what was added during the count; false if another recount was faster. */
export async function correctSum(db: Db, userId: number, before: Sum, counted: number, now: number): Promise<boolean> {
  const row = await db
    .insertInto('kept_sums')
    .values({ user_id: userId, bytes: counted, counts: 1, counted_at: now })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet((e) => ({
          bytes: e('kept_sums.bytes', '+', counted - before.bytes),
          counts: e('kept_sums.counts', '+', 1),
          counted_at: now,
        }))
        .where('kept_sums.counts', '=', before.counts),
    )
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The users whose last count is oldest. */
export async function countedBefore(db: Db, time: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('kept_sums')
    .select('user_id')
    .where('counted_at', '<', time)
    .orderBy('counted_at')
    .limit(limit)
    .execute();
  return rows.map(({ user_id }) => user_id);
}

export async function forgetSum(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('kept_sums').where('user_id', '=', userId).execute();
}
