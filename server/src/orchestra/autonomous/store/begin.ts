import { AppError } from '../../../lib/errors.ts';
import type { Db } from '../../../platform/db/tables.ts';
import { isTaken } from '../../../platform/durable/errors.ts';
import type { Caller } from '../../ports.ts';
import { appendMessages } from '../../store/messages.ts';
import type { RunConfig } from '../config.ts';
import { resumableStatuses } from '../events.ts';
import { newState, type RunState } from '../state.ts';
import { addEvents } from './commit.ts';
import { lockRunSlots } from './run-slots.ts';
import { newExecutionId } from './runs.ts';
import { addSteps } from './steps.ts';
import './tables.ts';
import type { ResumeInput } from './partial-answers.ts';
import { alreadyRunning, nextTurn, refuseSecond } from './turns.ts';

export interface NewRun {
  sessionRef: number;
  caller: Caller;
  goal: string;
  goalTokens: number;
  tools: unknown[];
  config: RunConfig;
  /** Maximum concurrent runs of the user, including this one. */
  most: number;
}

/**
 * Inserts a running run owned by `owner`, with its goal as the user's message. 409 if a run is active in the session,
 * 429 if the user has too many.
 */
export async function addRun(db: Db, run: NewRun, owner: string, nowMs: number): Promise<number> {
  return db
    .transaction()
    .execute(async (tx) => {
      const now = Math.floor(nowMs / 1000);
      const stream = await nextTurn(tx, run.sessionRef);
      await refuseSecond(tx, run.sessionRef);
      await lockRunSlots(tx, run.caller.userId, run.most);
      const { id } = await tx
        .insertInto('ms_runs')
        .values({
          execution_id: newExecutionId(),
          user_id: run.caller.userId,
          session_ref: run.sessionRef,
          caller: JSON.stringify(run.caller),
          goal: run.goal,
          tools: JSON.stringify(run.tools),
          config: JSON.stringify(run.config),
          state: JSON.stringify(newState()),
          status: 'running',
          turn: stream.turns,
          first_seq: stream.last_seq + 1,
          owner,
          epoch: 1,
          created_at: now,
          updated_ms: nowMs,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      const message = { role: 'user' as const, content: run.goal };
      await appendMessages(tx, run.sessionRef, [{ message, tokens: run.goalTokens }], now);
      return id;
    })
    .catch(taken);
}

interface Restarted {
  ref: number;
  /** As read before; the update fails if it has changed. */
  epoch: number;
  state: RunState;
}

/** Restarts a resumable run from the given state; rejects like `addRun`. */
export async function restartRun(
  db: Db,
  run: Pick<NewRun, 'sessionRef' | 'caller' | 'config' | 'most'> & ResumeInput & Restarted,
  owner: string,
  nowMs: number,
): Promise<void> {
  await db
    .transaction()
    .execute(async (tx) => {
      const stream = await nextTurn(tx, run.sessionRef);
      await refuseSecond(tx, run.sessionRef);
      await lockRunSlots(tx, run.caller.userId, run.most);
      const set = await tx
        .updateTable('ms_runs')
        .set((eb) => ({
          status: 'running',
          reason: null,
          checkpoint_id: null,
          error: null,
          caller: JSON.stringify(run.caller),
          config: JSON.stringify(run.config),
          state: JSON.stringify(run.state),
          iteration: run.state.iteration,
          tokens_used: run.state.tokens,
          cost: run.state.cost,
          confidence: run.state.confidence,
          turn: stream.turns,
          owner,
          epoch: eb('epoch', '+', 1),
          updated_ms: nowMs,
        }))
        .where('id', '=', run.ref)
        // Of two concurrent answers, the second is based on a state without the first: it must fail.
        .where('epoch', '=', run.epoch)
        .where('status', 'in', resumableStatuses)
        .returning('epoch')
        .executeTakeFirst();
      if (!set) throw new AppError('conflict', 'Someone else has just resumed the execution.');
      const now = Math.floor(nowMs / 1000);
      const holding = { ref: run.ref, sessionRef: run.sessionRef, epoch: set.epoch };
      await addSteps(tx, holding, run.steps, now);
      await addEvents(tx, holding, run.events, now);
      if (run.messages.length > 0) await appendMessages(tx, run.sessionRef, run.messages, now);
    })
    .catch(taken);
}

/** The unique index on running runs decides between two concurrent starts. */
function taken(error: unknown): never {
  throw isTaken(error, 'ms_runs') ? alreadyRunning() : error;
}
