import { forgetKept } from '../../billing/store/kept-answers.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Summary } from '../context.ts';
import './tables.ts';

/** A summary that is paid for is kept under this name until it is written. */
export const workOfSummary = (sessionRef: number): string => `summary:${sessionRef}`;

export async function latestSummary(db: Db, sessionRef: number): Promise<Summary | null> {
  const row = await db
    .selectFrom('ms_summaries')
    .select(['content', 'tokens', 'up_to'])
    .where('session_ref', '=', sessionRef)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? { text: row.content, tokens: row.tokens, upTo: row.up_to } : null;
}

/**
 * Appended, never changed; false when the session was deleted meanwhile, or its user went back behind what the summary tells
 * of, which would be remembered else. What was kept of it with its charge goes.
 */
export async function addSummary(db: Db, sessionRef: number, summary: Summary, now: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await forgetKept(tx, workOfSummary(sessionRef));
    const session = await tx
      .updateTable('ms_sessions')
      .set({ last_accessed: now })
      .where('id', '=', sessionRef)
      .returning('id')
      .executeTakeFirst();
    if (!session) return false;
    const { text: content, tokens, upTo: up_to } = summary;
    const told = tx.selectFrom('ms_messages').select('id').where('id', '=', up_to).where('superseded', '=', 0);
    if (!(await told.executeTakeFirst())) return false;
    await tx
      .insertInto('ms_summaries')
      .values({ session_ref: sessionRef, content, tokens, up_to, created_at: now })
      .execute();
    return true;
  });
}
