import { insertMany } from '../../../platform/db/insert-many.ts';
import type { Db } from '../../../platform/db/tables.ts';

const columns = ['response_id', 'seq', 'data'];

/** Events that exist before the work starts. */
export async function insertFirstEvents(tx: Db, id: string, texts: string[]): Promise<void> {
  await insertMany(
    tx,
    'kept_events',
    columns,
    texts.flatMap((text, seq) => [id, seq, text]),
  );
  await tx
    .updateTable('kept_responses')
    .set({ last_seq: texts.length - 1, told: 1 })
    .where('id', '=', id)
    .execute();
}

/** Numbers are assigned under the row's lock; false if this process no longer owns it. */
export function appendEvents(db: Db, id: string, epoch: number, texts: string[]): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .updateTable('kept_responses')
      .set((e) => ({ last_seq: e('last_seq', '+', texts.length) }))
      .where('id', '=', id)
      .where('epoch', '=', epoch)
      .where('status', '=', 'in_progress')
      .returning('last_seq')
      .executeTakeFirst();
    if (!row) return false;
    const first = row.last_seq - texts.length + 1;
    await insertMany(
      tx,
      'kept_events',
      columns,
      texts.flatMap((text, index) => [id, first + index, text]),
    );
    return true;
  });
}

/** Discards events of a dead process; a reader from the beginning only sees the next attempt's. */
export async function dropEventsAfter(db: Db, id: string, seq: number): Promise<void> {
  await db.deleteFrom('kept_events').where('response_id', '=', id).where('seq', '>', seq).execute();
}

export const eventsAfter = (db: Db, id: string, seq: number, limit: number): Promise<{ seq: number; data: string }[]> =>
  db
    .selectFrom('kept_events')
    .select(['seq', 'data'])
    .where('response_id', '=', id)
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(limit)
    .execute();

/** Of responses that ended before; returns the number of responses. */
export function dropOldEvents(db: Db, endedBefore: number, most: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const rows = await tx
      .selectFrom('kept_responses')
      .select('id')
      .where('told', '=', 1)
      .where('ended_at', '<=', endedBefore)
      .limit(most)
      .execute();
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return 0;
    await tx.updateTable('kept_responses').set({ told: 0 }).where('id', 'in', ids).execute();
    await tx.deleteFrom('kept_events').where('response_id', 'in', ids).execute();
    return ids.length;
  });
}
