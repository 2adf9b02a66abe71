import { isBusy } from '../platform/durable/errors.ts';
import { repeat } from '../platform/durable/repeat.ts';
import type { PaidOnce } from './paid-once.ts';
import type { Deps } from './ports.ts';
import { others } from './slices.ts';
import { appendMessages, bytesOfMessages } from './store/messages.ts';
import { weighOne } from './tokens.ts';
import { afterwards, callsAfter, countTokens } from './turn/afterwards.ts';
import { type Answer, answerTurn } from './turn/answer.ts';
import { beginTurn, type TurnRequest } from './turn/begin.ts';
import { planTurn, type RunningPlan } from './turn/plan-turn.ts';
import { remember } from './turn/remember.ts';
import { keepPlan, runPlan } from './turn/run-plan.ts';
import { metaOf, now, type Turn } from './turn/turn.ts';
import type { TurnAnswer } from './turn/turn-answer.ts';
import { type Out, silent } from './turn/writer.ts';

/** How long an answer that is ready waits for the summary made beside it. */
const summaryGraceMs = 1000;
/** How long an answer that is ready waits for a file that another holds. */
const keepPatienceMs = 15_000;

/** One request to the orchestration model, step by step. `once`: within work that outlives its process. */
export async function respond(
  deps: Deps,
  request: TurnRequest,
  out: Out = silent,
  once: PaidOnce | null = null,
): Promise<TurnAnswer> {
  const turn = await beginTurn(once ? { ...deps, ...once.deps } : deps, request, out);
  let plan: RunningPlan | null = null;
  try {
    out.opened(() => metaOf(turn));
    await others();
    const memory = await remember(turn);
    await others();
    plan = await planTurn(turn, memory);
    await runPlan(turn, memory, plan);
    const answer = await answerTurn(turn, memory, plan);
    turn.progress.summaryUpdated = await Promise.race([
      memory.summarising,
      Bun.sleep(summaryGraceMs).then(() => false),
    ]);
    await others();
    // Before the session has it, which whoever takes the work over would read.
    await once?.keep(result(turn, answer));
    // What follows the answer is no part of the work.
    await keepPaid({ ...turn, deps }, plan, answer, memory.summarising);
    return result(turn, answer);
  } catch (error) {
    await others();
    if (plan) await keepFailed(turn, plan);
    await countTokens(turn).catch((fault) => deps.warn('the tokens of a failed turn were not counted', fault));
    throw error;
  } finally {
    await turn.release();
  }
}

/** A plan that still waits for results can be gone on with when the client sends them again; any other is over. */
async function keepFailed(turn: Turn, plan: RunningPlan): Promise<void> {
  const waits = Object.values(plan.results).some(({ status }) => status === 'waiting_for_tools');
  try {
    await keepPlan(turn, plan, waits ? 'waiting_for_tools' : 'failed');
  } catch (fault) {
    turn.deps.warn('a failed plan was not kept', fault);
  }
}

/** Its calls are paid: what cannot be kept of it is missing the next time, and the answer is given all the same. */
async function keepPaid(...[turn, ...made]: Parameters<typeof keep>): Promise<void> {
  try {
    // A message is not to be there twice, so nothing is repeated that may have been written.
    await repeat(() => keep(turn, ...made), { passes: isBusy, patienceMs: keepPatienceMs });
  } catch (error) {
    turn.deps.warn('an answer was not kept', error);
    await countTokens(turn).catch((fault) => turn.deps.warn('the tokens of a turn were not counted', fault));
  }
}

/** Stores the answer and where the plan stands, and hands the rest to the background. */
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
  // Null: the session was deleted while the turn ran, and nothing of it is kept.
  if (stored === null) return;
  deps.keeping.add(session.userId, bytesOfMessages(stored));
  const added = new Set(turn.freshIds);
  const fresh = [...turn.history.filter(({ id }) => added.has(id)), ...stored];
  turn.meter.background += callsAfter(turn);
  deps.background(afterwards(turn, fresh, message, summarising));
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
