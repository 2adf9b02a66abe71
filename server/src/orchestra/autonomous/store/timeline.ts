import type { Db } from '../../../platform/db/tables.ts';
import './tables.ts';

export interface TimelineEvent {
  seq: number;
  event: string;
  data: string;
  created_at: number;
}

/** Most events are text chunks, so the query scans a window of this many events at a time. */
const windowSize = 4_000;

/** The latest events with these names before `before`, newest first. */
export async function eventsBefore(
  db: Db,
  run: { ref: number; sessionRef: number; firstSeq: number },
  names: readonly string[],
  before: number,
  limit: number,
): Promise<TimelineEvent[]> {
  const stream = await db
    .selectFrom('ms_run_streams')
    .select('last_seq')
    .where('session_ref', '=', run.sessionRef)
    .executeTakeFirst();
  const found: TimelineEvent[] = [];
  let end = Math.min(before, (stream?.last_seq ?? 0) + 1);
  while (end > run.firstSeq && found.length < limit) {
    const begin = Math.max(run.firstSeq, end - windowSize);
    const rows = await db
      .selectFrom('ms_run_events')
      .select(['seq', 'event', 'data', 'created_at'])
      .where('session_ref', '=', run.sessionRef)
      .where('seq', '>=', begin)
      .where('seq', '<', end)
      .where('run_ref', '=', run.ref)
      .where('event', 'in', names)
      .orderBy('seq', 'desc')
      .limit(limit - found.length)
      .execute();
    found.push(...rows);
    end = begin;
  }
  return found;
}

/** The times at which the journal's steps about tool calls were written, with their keys. */
export async function notesOnCalls(db: Db, runRef: number): Promise<{ key: string; at: number }[]> {
  const rows = await db
    .selectFrom('ms_run_steps')
    .select(['step_key', 'created_at'])
    .where('run_ref', '=', runRef)
    .where((e) => e.or(['begun:%', 'outcome:%', 'answer:%'].map((pattern) => e('step_key', 'like', pattern))))
    .limit(mostNotes)
    .execute();
  return rows.map(({ step_key, created_at }) => ({ key: step_key, at: created_at }));
}
const mostNotes = 10_000;
