import { randomString } from '../../../lib/ids.ts';
import type { Db } from '../../../platform/db/tables.ts';
import { holdSession } from '../../store/sessions.ts';
import { type RunConfig, shownConfig } from '../config.ts';
import { newEvent, type RunEvent, type RunNames, type RunStatus, taskOverviews } from '../events.ts';
import { type RunState, tally } from '../state.ts';
import { addSteps, type Step } from './steps.ts';
import './tables.ts';

export interface Holding {
  ref: number;
  sessionRef: number;
  epoch: number;
}

export interface Ending {
  status: RunStatus;
  reason?: string;
  result?: string;
  error?: string;
}

export interface Batch {
  state: RunState;
  /** False if the batch has only events: the state is too large to be written with each of them. */
  changed: boolean;
  config: RunConfig;
  elapsedMs: number;
  currentTask: string | null;
  steps: Step[];
  checkpoints: string[];
  events: RunEvent[];
  ending: Ending | null;
  /** Further writes in the same transaction. */
  within: ((tx: Db) => Promise<void>)[];
}

/** Another process holds the run now, or it was cancelled or deleted. */
export class LeaseLost extends Error {}

export const newCheckpointId = (): string => `ckpt-${randomString(24)}`;

/** Writes everything since the last commit in one transaction. Returns the id of the last event, 0 if there is none. */
export async function commit(db: Db, holding: Holding, batch: Batch, nowMs: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const now = Math.floor(nowMs / 1000);
    await holdSession(tx, holding.sessionRef);
    await updateRun(tx, holding, batch, nowMs);
    await addSteps(tx, holding, batch.steps, now);
    for (const id of batch.checkpoints) await addCheckpoint(tx, holding, id, batch, now);
    for (const write of batch.within) await write(tx);
    return addEvents(tx, holding, batch.events, now);
  });
}

async function updateRun(tx: Db, holding: Holding, batch: Batch, nowMs: number): Promise<void> {
  const { state, ending } = batch;
  // Fencing: if this process has lost the run, no row matches and the transaction rolls back.
  const row = await tx
    .updateTable('ms_runs')
    .set((eb) => ({
      ...(batch.changed && stateFields(state)),
      elapsed_ms: batch.elapsedMs,
      current_task: ending ? null : batch.currentTask,
      checkpoints: eb('checkpoints', '+', batch.checkpoints.length),
      updated_ms: nowMs,
      ...(ending && { ...endFields(ending), owner: null, checkpoint_id: batch.checkpoints.at(-1) ?? null }),
    }))
    .where('id', '=', holding.ref)
    .where('epoch', '=', holding.epoch)
    .where('status', '=', 'running')
    .returning('id')
    .executeTakeFirst();
  if (!row) throw new LeaseLost('the run is no longer held');
}

export function stateFields(state: RunState) {
  const { completed, failed, total } = tally(state);
  return {
    state: JSON.stringify(state),
    iteration: state.iteration,
    tasks_completed: completed,
    tasks_failed: failed,
    tasks_total: total,
    tokens_used: state.tokens,
    cost: state.cost,
    confidence: state.confidence,
  };
}

const endFields = ({ status, reason, result, error }: Ending) => ({
  status,
  reason: reason ?? null,
  result: result ?? null,
  error: error ?? null,
});

export async function addCheckpoint(
  tx: Db,
  { ref, sessionRef }: Holding,
  id: string,
  { state, config }: Pick<Batch, 'state' | 'config'>,
  now: number,
): Promise<void> {
  await tx
    .insertInto('ms_run_checkpoints')
    .values({
      checkpoint_id: id,
      run_ref: ref,
      session_ref: sessionRef,
      iteration: state.iteration,
      config: JSON.stringify(config),
      state: JSON.stringify(state),
      created_at: now,
    })
    .execute();
}

/** Ids are assigned while the session's row is locked, so that events become visible in order and without gaps. */
export async function addEvents(
  tx: Db,
  { ref, sessionRef }: Holding,
  events: RunEvent[],
  now: number,
): Promise<number> {
  if (events.length === 0) return 0;
  const { last_seq } = await tx
    .updateTable('ms_run_streams')
    .set((eb) => ({ last_seq: eb('last_seq', '+', events.length) }))
    .where('session_ref', '=', sessionRef)
    .returning('last_seq')
    .executeTakeFirstOrThrow();
  const first = last_seq - events.length + 1;
  const rows = events.map(({ event, data }, i) => ({
    session_ref: sessionRef,
    seq: first + i,
    run_ref: ref,
    event,
    data,
    created_at: now,
  }));
  // Databases limit the number of parameters per statement.
  for (let i = 0; i < rows.length; i += 500) {
    await tx
      .insertInto('ms_run_events')
      .values(rows.slice(i, i + 500))
      .execute();
  }
  return last_seq;
}

/** `execution_started`, unless this turn has already sent it. Every turn starts with it, even one that ends early. */
export function opening(names: RunNames, now: number, goal: string, config: RunConfig, state: RunState): RunEvent[] {
  if (state.announced) return [];
  const plan = { plan_id: state.planId, description: state.description, tasks: taskOverviews(state.tasks) };
  const resumed = state.resumedFrom === null ? {} : { resumed_from: state.resumedFrom };
  return [newEvent(names, now, 'execution_started', { goal, config: shownConfig(config), plan, ...resumed })];
}
