import { isBusy } from '../platform/durable/errors.ts';
import { repeat } from '../platform/durable/repeat.ts';
import type { PaidOnce } from './paid-once.ts';
import type { Deps } from './ports.ts';
import { appendMessages, bytesOfMessages } from './store/messages.ts';
import { weighOne } from './tokens.ts';
import { callsAfter, countTokens, runAfterAnswer } from './turn/after-answer.ts';
import { type Answer, answerTurn } from './turn/answer.ts';
import { beginTurn, type TurnRequest } from './turn/begin.ts';
import { planTurn, type RunningPlan } from './turn/plan-turn.ts';
import { remember } from './turn/remember.ts';
import { keepPlan, runPlan } from './turn/run-plan.ts';
import { metaOf, now, type Turn } from './turn/turn.ts';
import type { TurnAnswer } from './turn/turn-answer.ts';
import { silent, type TurnOutput } from './turn/writer.ts';
import { yieldToEventLoop } from './work-slices.ts';

/** How long a finished answer waits for the summary that is made in parallel. */
const summaryGraceMs = 1000;
/** How long a finished answer waits while another connection locks the SQLite file. */
const keepPatienceMs = 15_000;

/** Runs one request to the orchestration model, step by step. `once` is set within durable work. */
export async function respond(
  deps: Deps,
  request: TurnRequest,
  out: TurnOutput = silent,
  once: PaidOnce | null = null,
): Promise<TurnAnswer> {
  const turn = await beginTurn(once ? { ...deps, ...once.deps } : deps, request, out);
  let plan: RunningPlan | null = null;
  try {
    out.opened(() => metaOf(turn));
    await yieldToEventLoop();
    const memory = await remember(turn);
    await yieldToEventLoop();
    plan = await planTurn(turn, memory);
    await runPlan(turn, memory, plan);
    const answer = await answerTurn(turn, memory, plan);
    turn.progress.summaryUpdated = await Promise.race([
      memory.summarising,
      Bun.sleep(summaryGraceMs).then(() => false),
    ]);
    await yieldToEventLoop();
    // Store it before the session is written, because a process that takes the work over would read the session.
    await once?.keep(result(turn, answer));
    // What follows the answer is not part of the durable work.
    await keepPaid({ ...turn, deps }, plan, answer, memory.summarising);
    return result(turn, answer);
  } catch (error) {
    await yieldToEventLoop();
    if (plan) await keepFailed(turn, plan);
    await countTokens(turn).catch((fault) => deps.warn('the tokens of a failed turn were not counted', fault));
    throw error;
  } finally {
    await turn.release();
  }
}

/** A plan that waits for tool results can resume when the client sends them again; any other plan has failed. */
async function keepFailed(turn: Turn, plan: RunningPlan): Promise<void> {
  const waits = Object.values(plan.results).some(({ status }) => status === 'waiting_for_tools');
  try {
    await keepPlan(turn, plan, waits ? 'waiting_for_tools' : 'failed');
  } catch (fault) {
    turn.deps.warn('a failed plan was not stored', fault);
  }
}

/** The calls are already paid: if the answer cannot be stored, return it anyway; only the memory of it is lost. */
async function keepPaid(...[turn, ...made]: Parameters<typeof keep>): Promise<void> {
  try {
    // Retry only if the database was busy: a write that may have succeeded would store the message twice.
    await repeat(() => keep(turn, ...made), { passes: isBusy, patienceMs: keepPatienceMs });
  } catch (error) {
    turn.deps.warn('an answer was not stored', error);
    await countTokens(turn).catch((fault) => turn.deps.warn('the tokens of a turn were not counted', fault));
  }
}

/** Stores the answer and the plan's state, and starts the background work. */
async function keep(
  turn: Turn,
  plan: RunningPlan,
  { message, model }: Answer,
  summarising: Promise<unknown>,
): Promise<void> {
  const { deps, session, progress } = turn;
  const status = progress.status === 'pending' ? 'running' : progress.status;
  await keepPlan(turn, plan, status);
  const tokens = await weighOne(message);
  const stored = await appendMessages(
    deps.db,
    session.ref,
    [{ message, tokens, model: model ?? undefined }],
    now(turn),
  );
  // The session was deleted during the turn: store nothing.
  if (stored === null) return;
  deps.storage.add(session.userId, bytesOfMessages(stored));
  const added = new Set(turn.freshIds);
  const fresh = [...turn.history.filter(({ id }) => added.has(id)), ...stored];
  turn.meter.background += callsAfter(turn);
  deps.background(runAfterAnswer(turn, fresh, message, summarising));
}

function result(turn: Turn, { message, finishReason }: Answer): TurnAnswer {
  const { promptTokens, completionTokens } = turn.meter;
  const { reasoning } = turn.writer;
  return {
    message: reasoning === '' ? message : { ...message, reasoning_content: reasoning },
    finishReason,
    usage: { promptTokens, completionTokens },
    meta: metaOf(turn),
  };
}
