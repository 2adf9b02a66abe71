import { findKept, forgetKept } from '../../billing/store/kept-answers.ts';
import type { CallName } from '../../billing/types.ts';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { LeftWork } from '../../lib/left-work.ts';
import { isUnavailable } from '../../platform/durable/errors.ts';
import type { Job } from '../../platform/durable/jobs.ts';
import { retryUntilWritten } from '../../platform/durable/lease.ts';
import { rowBytes } from '../../platform/keeping/sizes.ts';
import { noResponse, type ResponsesDeps, requireKeeping, scopeOf } from './deps.ts';
import { bytesOfEnded, bytesOfRows, newRows, rowsOf } from './keep.ts';
import type { Item, Owner, ResponseKeeper, ResponseObject } from './keeper.ts';
import { admitItems, limits } from './limits.ts';
import { failureOf, responseOf } from './render.ts';
import { beginWork, cancelWork, countRunning, readResponse, standingOf } from './store/background.ts';
import { appendEvents, dropEventsAfter } from './store/events.ts';
import { findResponse } from './store/responses.ts';
import type { ResponseRow } from './store/tables.ts';
import { writeOutcome, writeQueued } from './store/write.ts';
import { eventChannel, eventText, newTeller } from './tell.ts';

/** One attempt at a response that runs in the background. */
export interface Attempt {
  /** Of the response. */
  id: string;
  /** Which attempt it is. */
  epoch: number;
  /**
   * For the model call: another for each attempt. A call is billed once for each id; what a process that died had put aside
   * for its own is given back by itself, but for what was streamed by then.
   */
  requestId: string;
  /** Aborted when the response is cancelled, or another process has it. */
  signal: AbortSignal;
  /** An event as it is made, for those who follow. Its number is given here. */
  tell(event: Item): void;
}

/** Asks the model as `POST /v1/responses` does, within what the owner may do now, and keeps nothing: that is done here. */
export type AnswerBackground = (owner: Owner, body: Item, attempt: Attempt) => Promise<ResponseObject>;

export const backgroundQueue = 'responses';
const stopChannel = (id: string): string => `response-stop:${id}`;
/** How often a cancel is looked for, for when the message about it is lost. */
const guardMs = 900;
/** A request that takes its process along must not take one after the other. Processes that stop, and hand it over, do not count. */
const mostDeaths = 3;
/** However it came to that. */
const mostBegun = 50;
/** Until a database that is away is asked again. */
const awayMs = 250;
const givenUp =
  'The work on this response broke off each time it was begun, and was given up. Ask again; if that fails too, ask for less at once.';
const maxAttempts = 50;
/** `response.created` and `response.queued`, which are told by whoever took the request. */
const firstEvents = 2;

/** A response that has a work item already gets no second one. */
export async function enqueueWork({ jobs }: Pick<ResponsesDeps, 'jobs'>, id: string): Promise<void> {
  await jobs.enqueue(backgroundQueue, { id }, { key: id, maxAttempts, promised: true });
}

/** The row first, then its work: a crash in between leaves a row that the sweep finds. */
export async function enqueueResponse(
  deps: ResponsesDeps,
  owner: Owner,
  queued: Parameters<ResponseKeeper['enqueue']>[1],
): Promise<void> {
  requireKeeping(deps, 'background');
  admitItems(queued.input);
  if ((await countRunning(deps.db, owner.userId)) >= limits.running)
    throw new AppError('rate_limit_exceeded', `${limits.running} responses at most wait or run in the background.`);
  const response: ResponseObject = { ...queued.response, status: 'queued', background: true, output: [] };
  const { row, items } = await newRows(deps, owner, { ...queued, response });
  const events = ['response.created', 'response.queued'].map((type) => eventText({ type, response }));
  const waiting = { ...row, request: JSON.stringify(queued.body), ended_at: null };
  await deps.keeping.take(owner.userId, bytesOfEnded({ row: waiting, items }));
  await writeQueued(deps.db, waiting, items, events);
  await enqueueWork(deps, response.id);
}

/** Works on a response from whatever its row says; called again after a crash, perhaps elsewhere. */
export async function workOn(
  deps: ResponsesDeps,
  answer: AnswerBackground,
  id: string,
  job: Pick<Job, 'attempt' | 'signal'>,
  // biome-ignore lint/suspicious/noConfusingVoidType: as a handler of jobs may return
): Promise<{ againInMs: number } | void> {
  try {
    await workOnce(deps, answer, id, job);
  } catch (error) {
    // What is owed stands in line with its answer, and the next attempt finds both.
    if (job.signal.aborted || !isUnavailable(error)) throw error;
    return { againInMs: awayMs };
  }
}

async function workOnce(
  deps: ResponsesDeps,
  answer: AnswerBackground,
  id: string,
  job: Pick<Job, 'attempt' | 'signal'>,
): Promise<void> {
  const row = await beginWork(deps.db, id, nowSeconds(deps.clock));
  if (!row) return;
  // Whoever had it before has paid for an answer, and did not live to write it.
  const paid = row.epoch > 1 ? await findKept(deps.db, callOf(row.id)) : null;
  if (paid !== null) return finish(deps, row, JSON.parse(paid) as ResponseObject);
  if (job.attempt > mostDeaths || row.epoch > mostBegun)
    return finish(deps, row, failureOf(row, new AppError('internal_error', givenUp)));
  if (row.epoch > 1) await dropEventsAfter(deps.db, id, firstEvents - 1);
  const begun = eventText({ type: 'response.in_progress', response: responseOf(row, []) });
  await appendEvents(deps.db, id, row.epoch, [begun]);
  await deps.shared.publish(eventChannel(id), '').catch(() => {});
  const watch = await watchFor(deps, row, job.signal);
  try {
    const ended = await attempt(deps, answer, row, watch.signal);
    // Cancelled, or another has it: what was made has been paid for, and is not kept.
    if (ended) await finish(deps, row, ended);
    else if ((await readResponse(deps.db, id))?.ended_at !== null) await forgetKept(deps.db, id);
  } finally {
    await watch.end();
  }
}

/** Under which an answer is kept with its charge, until it is written here. */
export const callOf = (id: string): CallName => ({ work: id, call: 'response' });

async function attempt(
  deps: ResponsesDeps,
  answer: AnswerBackground,
  row: ResponseRow,
  signal: AbortSignal,
): Promise<ResponseObject | null> {
  const owner: Owner = { userId: row.user_id, keyId: row.key_id === 0 ? null : row.key_id };
  const teller = newTeller(deps, row.id, row.epoch);
  const requestId = `${row.id}-${row.epoch}`;
  try {
    const body = JSON.parse(row.request ?? '{}') as Item;
    return await answer(owner, body, { id: row.id, epoch: row.epoch, requestId, signal, tell: teller.tell });
  } catch (error) {
    if ([cancelled, elsewhere].includes(signal.reason)) return null;
    // Stopping, or lost: the job is given back, and this error says no more than that. The same where the database is away.
    if (signal.aborted || isUnavailable(error)) throw error;
    if (!(error instanceof AppError)) deps.log.warn({ error, response: row.id }, 'a response in the background failed');
    return failureOf(row, error);
  } finally {
    await teller.settled();
  }
}

/** The last word: written although the database may be away for a while, as the answer has been paid for. */
async function finish(deps: ResponsesDeps, row: ResponseRow, response: ResponseObject): Promise<void> {
  const { output, ...rest } = response;
  const scope = scopeOf(deps, { userId: row.user_id, keyId: row.key_id });
  const made = rowsOf(scope, row.id, output, 1, row.items);
  const kept = { ...rest, id: row.id, background: true, created_at: createdAt(row) };
  const ending = {
    status: endStatus(response.status),
    response: JSON.stringify(kept),
    items: made.length,
    bytes: bytesOfRows(made),
  };
  await retryUntilWritten(
    deps.owners,
    () =>
      writeOutcome(deps.db, scope, row, ending, made, nowSeconds(deps.clock), limits.links, (tx) =>
        forgetKept(tx, row.id),
      ),
    (error) => deps.log.warn({ error, response: row.id }, 'the end of a response could not be written'),
  );
  deps.keeping.add(row.user_id, ending.bytes + rowBytes * made.length);
  await deps.shared.publish(eventChannel(row.id), '').catch(() => {});
}

/** Whatever an answer says of itself, its work is over. */
const endStatus = (status: string): string => (status === 'completed' || status === 'failed' ? status : 'incomplete');

const createdAt = (row: ResponseRow): unknown => (JSON.parse(row.response) as Item).created_at ?? row.created_at;

const cancelled = new LeftWork('the response was cancelled', false);
const elsewhere = new LeftWork('the response is worked on elsewhere');

/** Ends the work when its row is no longer this attempt's, by message at once and by looking soon after. */
async function watchFor({ db, shared }: ResponsesDeps, { id, epoch }: ResponseRow, jobSignal: AbortSignal) {
  const gone = new AbortController();
  const look = async () => {
    const now = await standingOf(db, id);
    if (now?.epoch === epoch && now.status === 'in_progress') return;
    gone.abort(!now || now.status === 'cancelled' ? cancelled : elsewhere);
  };
  const quietly = () => void look().catch(() => {});
  const unsubscribe = await shared.subscribe(stopChannel(id), quietly, quietly);
  const timer = setInterval(quietly, guardMs);
  timer.unref();
  // It may have been cancelled before there was anybody to hear of it.
  quietly();
  return {
    signal: AbortSignal.any([gone.signal, jobSignal]),
    end: async () => {
      clearInterval(timer);
      await unsubscribe();
    },
  };
}

/** Cancels somebody's response; one that is cancelled already stays so. */
export async function cancelResponse(deps: ResponsesDeps, owner: Owner, id: string): Promise<ResponseRow> {
  const scope = scopeOf(deps, owner);
  const found = await findResponse(deps.db, scope, id);
  if (!found) throw noResponse(id);
  if (found.background === 0)
    throw new AppError('invalid_value', "Only responses made with 'background: true' can be cancelled.");
  if (await cancelWork(deps.db, scope, id, nowSeconds(deps.clock))) await stopWork(deps, id);
  const row = await findResponse(deps.db, scope, id);
  if (!row) throw noResponse(id);
  if (row.status !== 'cancelled')
    throw new AppError('conflict', `The response is ${row.status} and can no longer be cancelled.`);
  return row;
}

/** Told to whoever works on it, and to those who follow it. Nobody comes for what was answered so far. */
export async function stopWork({ db, shared }: Pick<ResponsesDeps, 'db' | 'shared'>, id: string): Promise<void> {
  await forgetKept(db, id);
  await shared.publish(stopChannel(id), '').catch(() => {});
  await shared.publish(eventChannel(id), '').catch(() => {});
}
