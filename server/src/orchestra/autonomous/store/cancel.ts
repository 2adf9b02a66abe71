import type { Db } from '../../../platform/db/tables.ts';
import type { RunConfig } from '../config.ts';
import { newEvent, pausedStatuses, type RunNames } from '../events.ts';
import { pausedRunViewOf } from '../paused-run-view.ts';
import type { RunState } from '../state.ts';
import { addCheckpoint, addEvents, type Holding, newCheckpointId, opening } from './commit.ts';
import type { Run } from './runs.ts';
import './tables.ts';

/**
 * Cancels a running run from any process: its progress is saved in a checkpoint, and the process that holds it can no
 * longer write. False if it was not running.
 */
export async function cancelRunning(
  db: Db,
  run: RunNames & { ref: number; sessionRef: number; goal: string },
  reason: string | null,
  nowMs: number,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const now = Math.floor(nowMs / 1000);
    const id = newCheckpointId();
    const row = await tx
      .updateTable('ms_runs')
      .set((eb) => ({
        status: 'cancelled',
        reason,
        owner: null,
        current_task: null,
        epoch: eb('epoch', '+', 1),
        checkpoints: eb('checkpoints', '+', 1),
        checkpoint_id: id,
        updated_ms: nowMs,
      }))
      .where('id', '=', run.ref)
      .where('status', '=', 'running')
      .returning(['state', 'config', 'epoch'])
      .executeTakeFirst();
    if (!row) return false;
    const state = JSON.parse(row.state) as RunState;
    const config = JSON.parse(row.config) as RunConfig;
    const holding = { ref: run.ref, sessionRef: run.sessionRef, epoch: row.epoch };
    await addCheckpoint(tx, holding, id, { state, config }, now);
    const rest = await pausedRunViewOf(tx, run.ref, state);
    const events = [
      ...opening(run, now, run.goal, config, state),
      newEvent(run, now, 'checkpoint_created', { checkpoint_id: id, iteration: state.iteration }),
      newEvent(run, now, 'execution_paused', { reason: 'cancelled', status: 'cancelled', checkpoint_id: id, ...rest }),
    ];
    await addEvents(tx, holding, events, now);
    return true;
  });
}

/** Records what a run had spent when its process noticed the cancel: aborted calls are charged for their output. */
export async function addSpent(db: Db, { ref, epoch }: Holding, { tokens, cost }: RunState): Promise<void> {
  await db
    .updateTable('ms_runs')
    .set({ tokens_used: tokens, cost })
    .where('id', '=', ref)
    .where('epoch', '=', epoch + 1)
    .where('status', '=', 'cancelled')
    .execute();
}

class Changed extends Error {}

/** Cancels a paused run at its checkpoint. False if the run has changed since it was read. */
export async function cancelPaused(
  db: Db,
  run: Run,
  checkpointId: string,
  reason: string | null,
  nowMs: number,
): Promise<boolean> {
  const cancelled = db.transaction().execute(async (tx) => {
    const now = Math.floor(nowMs / 1000);
    const rest = await pausedRunViewOf(tx, run.ref, run.state);
    const told = { reason: 'cancelled', status: 'cancelled', checkpoint_id: checkpointId, ...rest } as const;
    // Locks the session's stream row before the run's row, like a resume; the opposite order could deadlock.
    await addEvents(tx, run, [newEvent(run, now, 'execution_paused', told)], now);
    const row = await tx
      .updateTable('ms_runs')
      .set((eb) => ({ status: 'cancelled', reason, epoch: eb('epoch', '+', 1), updated_ms: nowMs }))
      .where('id', '=', run.ref)
      .where('epoch', '=', run.epoch)
      .where('status', 'in', pausedStatuses)
      .returning('id')
      .executeTakeFirst();
    if (!row) throw new Changed('the run has changed');
    return true;
  });
  return cancelled.catch((error) => {
    if (error instanceof Changed) return false;
    throw error;
  });
}
