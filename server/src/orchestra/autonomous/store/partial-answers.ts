import { AppError } from '../../../lib/errors.ts';
import type { Db } from '../../../platform/db/tables.ts';
import { appendMessages, type NewMessage } from '../../store/messages.ts';
import type { RunConfig } from '../config.ts';
import { newEvent, type PauseReason, pausedStatus, type RunEvent, resumableStatuses } from '../events.ts';
import { pausedRunViewOf } from '../paused-run-view.ts';
import type { RunState } from '../state.ts';
import { addEvents, stateFields } from './commit.ts';
import type { Run } from './runs.ts';
import { addSteps, type Step } from './steps.ts';
import './tables.ts';
import { nextTurn, refuseSecond } from './turns.ts';

/** What a resume adds besides the state. */
export interface ResumeInput {
  steps: Step[];
  events: RunEvent[];
  /** The user's messages. */
  messages: NewMessage[];
}

/** The checkpoint and state to continue from. */
export interface ResumePoint {
  checkpointId: string;
  state: RunState;
  config: RunConfig;
}

/**
 * Stores some of the answers a run waits for, in its checkpoint, so that the request with the remaining ones continues
 * from there. Resolves with the id of the last event.
 */
export async function storePartialAnswers(
  db: Db,
  run: Run,
  given: ResumeInput & ResumePoint & { reason: PauseReason },
  nowMs: number,
): Promise<number> {
  const { checkpointId, state, config, reason } = given;
  const status = pausedStatus(reason);
  return db.transaction().execute(async (tx) => {
    const now = Math.floor(nowMs / 1000);
    const { turns: turn } = await nextTurn(tx, run.sessionRef);
    await refuseSecond(tx, run.sessionRef);
    const row = await tx
      .updateTable('ms_runs')
      .set({
        ...stateFields(state),
        config: JSON.stringify(config),
        ...{ status, reason, error: null, checkpoint_id: checkpointId, turn, updated_ms: nowMs },
        epoch: run.epoch + 1,
      })
      .where('id', '=', run.ref)
      .where('epoch', '=', run.epoch)
      .where('status', 'in', resumableStatuses)
      .returning('epoch')
      .executeTakeFirst();
    if (!row) throw new AppError('conflict', 'Someone else has just resumed the execution.');
    await addSteps(tx, { ref: run.ref, epoch: row.epoch }, given.steps, now);
    if (given.messages.length > 0) await appendMessages(tx, run.sessionRef, given.messages, now);
    await tx
      .updateTable('ms_run_checkpoints')
      .set({ state: JSON.stringify(state), config: JSON.stringify(config) })
      .where('checkpoint_id', '=', checkpointId)
      .execute();
    const rest = await pausedRunViewOf(tx, run.ref, state);
    const told = { reason, status, checkpoint_id: checkpointId, ...rest } as const;
    const events = [...given.events, newEvent(run, now, 'execution_paused', told)];
    return addEvents(tx, { ...run, epoch: row.epoch }, events, now);
  });
}
