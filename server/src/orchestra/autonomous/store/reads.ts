import { findRow } from '../../../platform/db/find-row.ts';
import type { Db } from '../../../platform/db/tables.ts';
import type { RunConfig } from '../config.ts';
import type { RunState } from '../state.ts';
import './tables.ts';

export interface Checkpoint {
  id: string;
  runRef: number;
  sessionRef: number;
  iteration: number;
  config: RunConfig;
  state: RunState;
}

export async function findCheckpoint(db: Db, sessionRef: number, id: string): Promise<Checkpoint | null> {
  const row = await findRow(db, 'ms_run_checkpoints', { checkpoint_id: id, session_ref: sessionRef });
  if (!row) return null;
  return {
    id: row.checkpoint_id,
    runRef: row.run_ref,
    sessionRef: row.session_ref,
    iteration: row.iteration,
    config: JSON.parse(row.config) as RunConfig,
    state: JSON.parse(row.state) as RunState,
  };
}

export const listCheckpoints = (db: Db, sessionRef: number) =>
  db
    .selectFrom('ms_run_checkpoints')
    .select(['checkpoint_id', 'iteration', 'created_at'])
    .where('session_ref', '=', sessionRef)
    .orderBy('id')
    .execute();

export async function lastCheckpointId(db: Db, runRef: number): Promise<string | null> {
  const row = await db
    .selectFrom('ms_run_checkpoints')
    .select('checkpoint_id')
    .where('run_ref', '=', runRef)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.checkpoint_id ?? null;
}

export interface StoredEvent {
  seq: number;
  event: string;
  data: string;
}

export const eventsAfter = (db: Db, sessionRef: number, after: number, limit: number): Promise<StoredEvent[]> =>
  db
    .selectFrom('ms_run_events')
    .select(['seq', 'event', 'data'])
    .where('session_ref', '=', sessionRef)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute();

/** Whether more events may follow, and the id of the last one. Null if the session is gone. */
export async function streamEnd(db: Db, sessionRef: number): Promise<{ lastSeq: number; running: boolean } | null> {
  // Read the run first: if it ends between the two reads, its last event is already written.
  const run = await db
    .selectFrom('ms_runs')
    .select('id')
    .where('session_ref', '=', sessionRef)
    .where('status', '=', 'running')
    .executeTakeFirst();
  const stream = await db
    .selectFrom('ms_run_streams')
    .select('last_seq')
    .where('session_ref', '=', sessionRef)
    .executeTakeFirst();
  return stream ? { lastSeq: stream.last_seq, running: run !== undefined } : null;
}

/** How long events are kept for late readers. */
export const eventSeconds = 7 * 86_400;

/** Deletes a bounded number per call, because SQLite is blocked meanwhile. */
export async function sweepEvents(db: Db, now: number, limit = 2000): Promise<number> {
  const old = await db
    .selectFrom('ms_run_events')
    .select(['session_ref', 'seq'])
    .where('created_at', '<', now - eventSeconds)
    .orderBy('created_at')
    .limit(limit)
    .execute();
  const bySession = Map.groupBy(old, ({ session_ref }) => session_ref);
  for (const [sessionRef, rows] of bySession) {
    const upTo = Math.max(...rows.map(({ seq }) => seq));
    await db
      .deleteFrom('ms_run_events')
      .where('session_ref', '=', sessionRef)
      .where('seq', '<=', upTo)
      .where('created_at', '<', now - eventSeconds)
      .execute();
  }
  return old.length;
}
