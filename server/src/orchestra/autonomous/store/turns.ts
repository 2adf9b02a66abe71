import { AppError } from '../../../lib/errors.ts';
import type { Db } from '../../../platform/db/tables.ts';
import { holdSession } from '../../store/sessions.ts';
import './tables.ts';

export const alreadyRunning = () => new AppError('conflict', 'An execution is already running in this session.');

/** Numbers the turn; a session shows the run of its last turn. The row lock also serializes starts in a session. */
export async function nextTurn(tx: Db, sessionRef: number): Promise<{ turns: number; last_seq: number }> {
  if (!(await holdSession(tx, sessionRef))) throw new AppError('not_found', 'Session not found');
  await tx
    .insertInto('ms_run_streams')
    .values({ session_ref: sessionRef, last_seq: 0, turns: 0 })
    .onConflict((conflict) => conflict.column('session_ref').doNothing())
    .execute();
  return tx
    .updateTable('ms_run_streams')
    .set((eb) => ({ turns: eb('turns', '+', 1) }))
    .where('session_ref', '=', sessionRef)
    .returning(['turns', 'last_seq'])
    .executeTakeFirstOrThrow();
}

/** Checked before writing: waiting on a run that is just ending, and itself needs the row we hold, would deadlock. */
export async function refuseSecond(tx: Db, sessionRef: number): Promise<void> {
  const other = await tx
    .selectFrom('ms_runs')
    .select('id')
    .where('session_ref', '=', sessionRef)
    .where('status', '=', 'running')
    .executeTakeFirst();
  if (other) throw alreadyRunning();
}
