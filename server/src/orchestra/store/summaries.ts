import type { Db } from '../../platform/db/tables.ts';
import type { Summary } from '../context.ts';
import './tables.ts';

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
 * Summaries are appended, never changed. False if the session was deleted meanwhile, or if the client rewound past
 * messages that the summary covers: they must not be remembered. `also` runs in the same transaction.
 */
export async function addSummary(
  db: Db,
  sessionRef: number,
  summary: Summary,
  now: number,
  also?: (tx: Db) => Promise<void>,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await also?.(tx);
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
