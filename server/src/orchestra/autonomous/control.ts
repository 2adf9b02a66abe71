import { forgetKept } from '../../billing/store/kept-answers.ts';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { bytesOfRow, rowBytes } from '../../platform/storage-quota/sizes.ts';
import { allowedChoosing, requireChatModel, requireEngineAccess } from '../model-access.ts';
import { choosePlanModel, chooseTaskModel, price } from '../models.ts';
import { difficulties } from '../params.ts';
import type { Caller, Deps } from '../ports.ts';
import { withDefaults } from '../preferences.ts';
import type { NewMessage } from '../store/messages.ts';
import { loadPreferences } from '../store/preferences.ts';
import { findSession, newSessionId, openSession, type Session } from '../store/sessions.ts';
import { weighOne } from '../tokens.ts';
import { type Answer, answerEvents, requireWaiting, takeAnswers } from './answers.ts';
import { type RunConfig, withOverrides } from './config.ts';
import { pausedStatuses } from './events.ts';
import type { GivenTask } from './requests.ts';
import type { Runner } from './runner.ts';
import { instruct, resumedState } from './state.ts';
import { addRun, restartRun } from './store/begin.ts';
import { cancelPaused, cancelRunning } from './store/cancel.ts';
import { type ResumeInput, type ResumePoint, storePartialAnswers } from './store/partial-answers.ts';
import { findCheckpoint, lastCheckpointId, streamEnd } from './store/reads.ts';
import { requireRunSlot } from './store/run-slots.ts';
import { findRun, latestRun, type Run } from './store/runs.ts';
import { bytesOfSteps } from './store/steps.ts';
import { pendingIn, waitingReason } from './task-conversation.ts';
import { requireTools } from './toolbox.ts';
import { applyUserPlan } from './user-plan.ts';

/** Poll interval for a run that another process works on. */
const lookMs = 500;

export interface Control {
  execute(
    caller: Caller,
    request: { goal: string; sessionId?: string; config: RunConfig; tools: unknown[] },
  ): Promise<Run>;
  /** Continues the run. If it still waits for something, only the input is stored, and the run stays paused. */
  resume(caller: Caller, request: ResumeRequest): Promise<Run>;
  /** Delivers answers that the session's run waits for, then continues like `resume`. */
  answer(caller: Caller, sessionId: string, answers: Answer[]): Promise<Run>;
  cancel(userId: number, sessionId: string, reason: string | null): Promise<{ run: Run; checkpointId: string | null }>;
  /** The latest run in this user's session; 404 if there is none. */
  current(userId: number, sessionId: string): Promise<Run>;
  session(userId: number, sessionId: string): Promise<Session>;
  /** Resolves when the run has stopped running; null if it was deleted. */
  ended(ref: number, signal: AbortSignal): Promise<Run | null>;
}

export interface ResumeRequest {
  sessionId: string;
  checkpointId: string;
  overrides: Partial<RunConfig>;
  instructions: string | undefined;
  plan: GivenTask[] | undefined;
}

/** User operations on runs: start, resume, answer, cancel, read. */
export function newControl(deps: Deps, runner: Runner): Control {
  const { db, clock } = deps;
  const existing = async (ref: number): Promise<Run> => {
    const run = await findRun(db, ref);
    if (!run) throw new AppError('not_found', 'Session not found');
    return run;
  };
  const session = async (userId: number, sessionId: string): Promise<Session> => {
    const found = await findSession(db, userId, sessionId, nowSeconds(clock));
    if (!found) throw new AppError('not_found', 'Session not found');
    return found;
  };
  const current = async (userId: number, sessionId: string): Promise<Run> => {
    const run = await latestRun(db, (await session(userId, sessionId)).ref);
    if (!run) throw new AppError('not_found', 'This session has no execution');
    return run;
  };
  const goOn = async (caller: Caller, run: Run, given: ResumeInput & ResumePoint): Promise<Run> => {
    const { ref, epoch, sessionRef } = run;
    const reason = waitingReason(pendingIn(given.state));
    // Outputs of the caller's tools may be large.
    if (given.steps.length > 0) await deps.storage.take(caller.userId, bytesOfSteps(given.steps));
    if (reason) {
      runner.announceEvents(sessionRef, await storePartialAnswers(db, run, { ...given, reason }, clock.nowMs()));
      return existing(ref);
    }
    await requireMeans(deps, caller);
    await deps.storage.take(caller.userId, rowBytes);
    const most = deps.parallelRuns();
    await restartRun(db, { ref, epoch, sessionRef, caller, most, ...given }, deps.owners.id, clock.nowMs());
    await runner.launch(ref);
    return existing(ref);
  };

  return {
    session,
    current,
    async execute(caller, { goal, sessionId = newSessionId(), config, tools }) {
      await requireMeans(deps, caller);
      await requireTools(deps, caller, config);
      const { userId } = caller;
      const most = deps.parallelRuns();
      // Checked again when the run is written; checked here so that a rejected request leaves no empty session behind.
      await requireRunSlot(db, userId, most);
      await deps.storage.take(userId, bytesOfRow(goal, JSON.stringify(tools)));
      const { session: found } = await openSession(db, { userId, sessionId }, nowSeconds(clock));
      const goalTokens = await weighOne({ role: 'user', content: goal });
      const ref = await addRun(
        db,
        { sessionRef: found.ref, caller, goal, goalTokens, tools, config, most },
        deps.owners.id,
        clock.nowMs(),
      );
      await runner.launch(ref);
      return existing(ref);
    },
    async resume(caller, request) {
      const { sessionId, checkpointId, overrides, instructions, plan } = request;
      const { ref: sessionRef } = await session(caller.userId, sessionId);
      const checkpoint = await findCheckpoint(db, sessionRef, checkpointId);
      if (!checkpoint) throw new AppError('not_found', 'Checkpoint not found');
      const run = await existing(checkpoint.runRef);
      if (run.status === 'running' || run.status === 'completed')
        throw new AppError('conflict', `The execution is ${run.status} and cannot be resumed.`);
      const config = withOverrides(run.config, overrides);
      await requireTools(deps, caller, config);
      const state = resumedState(checkpoint.state, checkpoint.id, config, run);
      // The run may have been paused for days: recall again, because memory may have been deleted or added since.
      state.recall = null;
      if (plan) applyUserPlan(state, plan);
      const messages: NewMessage[] = [];
      if (instructions !== undefined) {
        instruct(state, instructions);
        const message = { role: 'user' as const, content: instructions };
        messages.push({ message, tokens: await weighOne(message) });
      }
      return goOn(caller, run, { checkpointId, state, config, steps: [], events: [], messages });
    },
    async answer(caller, sessionId, answers) {
      for (;;) {
        const run = await current(caller.userId, sessionId);
        await requireWaiting(db, run, answers);
        // A run that waits for an answer always has the checkpoint it paused at.
        const checkpointId = run.checkpointId!;
        const { config } = run;
        const state = resumedState(run.state, checkpointId, config, run);
        const events = answerEvents(run, nowSeconds(clock), state, answers);
        const steps = takeAnswers(state, answers);
        try {
          return await goOn(caller, run, { checkpointId, state, config, steps, events, messages: [] });
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
          // If the epoch changed, a concurrent request was faster, perhaps with another answer: retry on its state.
          if ((await existing(run.ref)).epoch === run.epoch) throw error;
        }
      }
    },
    async cancel(userId, sessionId, reason) {
      const { ref, sessionRef } = await current(userId, sessionId);
      for (;;) {
        const run = await existing(ref);
        const checkpointId = run.checkpointId ?? (await lastCheckpointId(db, ref));
        const at = clock.nowMs();
        const isPaused = (pausedStatuses as readonly string[]).includes(run.status);
        if (run.status !== 'running' && !(isPaused && checkpointId)) return { run, checkpointId };
        const done = isPaused
          ? await cancelPaused(db, run, checkpointId!, reason, at)
          : await cancelRunning(db, run, reason, at);
        // The run changed concurrently and may have ended: read it again.
        if (!done) continue;
        // A resume starts with new steps, so stored answers to calls are no longer needed.
        await forgetKept(db, run.executionId);
        await runner.announceStop(ref);
        runner.announceEvents(sessionRef, (await streamEnd(db, sessionRef))?.lastSeq ?? 0);
      }
    },
    async ended(ref, signal) {
      for (;;) {
        const run = await findRun(db, ref);
        if (run?.status !== 'running') return run;
        signal.throwIfAborted();
        const working = runner.settled(ref);
        await Promise.race([...(working ? [working] : []), Bun.sleep(lookMs)]);
      }
    },
  };
}

/** Throws before anything is written if no model is available for the run, or the caller cannot pay for it. */
async function requireMeans(deps: Deps, caller: Caller): Promise<void> {
  requireEngineAccess(caller);
  const models = await deps.models(caller);
  await requireChatModel(deps, caller, models);
  const preferences = withDefaults(await loadPreferences(deps.db, caller.userId));
  const given = { settings: { preferences }, operator: deps.operator(), models, patterns: [] };
  const choosing = allowedChoosing(caller, given);
  const tasks = difficulties.map((difficulty) => chooseTaskModel(choosing, difficulty, 'question'));
  const asked = new Set([choosePlanModel(choosing), ...tasks].map((choice) => choice?.model));
  const isFree = (name: string | undefined) => price(models.find(({ id }) => id === name)) === 0;
  if (![...asked].every(isFree)) await deps.requireMoney(caller);
}
