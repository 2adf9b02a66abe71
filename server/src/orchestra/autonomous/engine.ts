import { forgetKept } from '../../billing/store/kept-answers.ts';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { allowedChoosing } from '../model-access.ts';
import { aged } from '../patterns.ts';
import type { Deps } from '../ports.ts';
import { withDefaults } from '../preferences.ts';
import { loadPatterns } from '../store/patterns.ts';
import { loadPreferences } from '../store/preferences.ts';
import { addTokensUsed } from '../store/sessions.ts';
import { callFault } from '../task/call-fault.ts';
import { countText } from '../tokens.ts';
import { pausedStatus } from './events.ts';
import { Pause, StopWork } from './halt.ts';
import { Journal } from './journal.ts';
import { runLoop } from './loop.ts';
import { pausedRunViewOf } from './paused-run-view.ts';
import { timeLeftMs } from './state.ts';
import { addSpent } from './store/cancel.ts';
import { LeaseLost } from './store/commit.ts';
import { runningEpochs } from './store/leases.ts';
import type { Run } from './store/runs.ts';
import type { Work } from './work.ts';

/** A run that this process is working on. */
export interface Engine {
  readonly epoch: number;
  /** Stops the work, including model calls, and leaves the run's row unchanged. */
  leave(why: StopWork['why']): void;
  /** Resolves once all work has stopped; never rejects. */
  readonly done: Promise<void>;
}

/** The largest delay a timer supports. */
const longestTimerMs = 2 ** 31 - 1;

/** Works on a run that this process holds, until it ends, pauses, fails or is lost to another process. */
export function startEngine(deps: Deps, run: Run, onWritten: (lastSeq: number) => void): Engine {
  const { clock, db } = deps;
  const stop = new AbortController();
  const startedMs = clock.steadyMs();
  const tokensBefore = run.state.tokens;
  const elapsedMs = () => run.elapsedMs + Math.max(0, clock.steadyMs() - startedMs);
  const holding = { ref: run.ref, sessionRef: run.sessionRef, epoch: run.epoch };
  const journal = new Journal({
    db,
    clock,
    holding,
    names: run,
    goal: run.goal,
    config: run.config,
    state: run.state,
    elapsedMs,
    onWritten,
    onKept: (bytes) => deps.storage.add(run.caller.userId, bytes),
    onBroken: (error) => stop.abort(error instanceof LeaseLost ? new StopWork('lost') : error),
  });
  const leftMs = Math.min(Math.max(0, timeLeftMs(run.state, run.config, run.elapsedMs)), longestTimerMs);
  const stopTimer = clock.every(leftMs, () => stop.abort(new Pause('max_time')));
  const work = async () => {
    try {
      await runLoop(await prepare(deps, run, { holding, journal, signal: stop.signal, elapsedMs }));
    } catch (error) {
      // The abort reason says more than the error of the aborted call.
      await close(deps, journal, stop.signal.aborted ? stop.signal.reason : error);
    } finally {
      stopTimer();
      journal.close(new StopWork('stopping'));
      const used = run.state.tokens - tokensBefore;
      if (used > 0) await addTokensUsed(db, run.sessionRef, used);
    }
  };
  const done = work().catch((error) => deps.warn('a run could not be closed', error));
  return { epoch: run.epoch, leave: (why) => stop.abort(new StopWork(why)), done };
}

async function prepare(
  deps: Deps,
  run: Run,
  own: Pick<Work, 'holding' | 'journal' | 'signal' | 'elapsedMs'>,
): Promise<Work> {
  const { goal, config, tools, state, turn, executionId } = run;
  const caller = { ...run.caller, parentRequestId: executionId };
  const preferences = withDefaults(await loadPreferences(deps.db, caller.userId));
  const models = await deps.models(caller);
  const patterns = aged(await loadPatterns(deps.db, caller.userId), nowSeconds(deps.clock));
  const operator = deps.operator();
  const choosing = allowedChoosing(caller, { settings: { preferences }, operator, models, patterns });
  const known = { deps, caller, goal, config, tools, state, turn, executionId, preferences, choosing };
  return { ...own, ...known, count: countText, texts: new Map(), context: [], outcomes: [] };
}

/** Ends the `running` status with a checkpoint, or leaves the run to the next process. */
async function close(deps: Deps, journal: Journal, error: unknown): Promise<void> {
  const isLost = error instanceof LeaseLost || (error instanceof StopWork && error.why === 'lost');
  try {
    // A write may find the run ended before anybody says so: only a run that is still running has gone to another process.
    const { ref } = journal.deps.holding;
    const isEnded = isLost
      ? !(await runningEpochs(deps.db, [ref])).has(ref)
      : error instanceof StopWork && error.why === 'ended';
    // Cancelled, or deleted together with its session.
    if (isEnded) return await closeEnded(deps, journal);
    if (isLost) return;
    if (error instanceof StopWork) return await journal.flush();
    if (error instanceof Pause) return await pause(deps, journal, error);
    // The runner releases the run once the database is back, and another process continues it.
    if (callFault(error) === 'database') return deps.warn('a run is released when the database responds again', error);
    await fail(deps, journal, error);
  } catch (second) {
    if (!(second instanceof LeaseLost)) deps.warn('a run could not be closed', second);
  }
}

/** Deletes stored answers, since no process will read them, and records what the run has spent. */
async function closeEnded({ db }: Deps, { deps: { names, holding, state } }: Journal): Promise<void> {
  await forgetKept(db, names.executionId);
  await addSpent(db, holding, state);
}

async function pause({ db }: Deps, journal: Journal, { reason }: Pause): Promise<void> {
  journal.announce();
  // Finished steps must be in the journal before the pause event reports them.
  await journal.flush();
  const { holding, state } = journal.deps;
  const rest = await pausedRunViewOf(db, holding.ref, state);
  const checkpoint_id = journal.checkpoint();
  const status = pausedStatus(reason);
  journal.tell('execution_paused', { reason, status, checkpoint_id, ...rest });
  await journal.end({ status, reason });
}

async function fail(deps: Deps, journal: Journal, error: unknown): Promise<void> {
  deps.warn('a run failed', error);
  journal.announce();
  const checkpoint_id = journal.checkpoint();
  const message = error instanceof AppError ? error.message : 'Internal error';
  journal.tell('error', { message, recoverable: true, checkpoint_id });
  await journal.end({ status: 'failed', error: message });
}
