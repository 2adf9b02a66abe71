import { findKept, forgetKept } from '../../billing/store/kept-answers.ts';
import type { CallName } from '../../billing/types.ts';
import { AbandonedWork } from '../../lib/abandoned-work.ts';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { isUnavailable } from '../../platform/durable/errors.ts';
import type { Job, Worked } from '../../platform/durable/jobs.ts';
import { retryUntilWritten } from '../../platform/durable/lease.ts';
import { openShares } from '../../platform/durable/shares.ts';
import { rowBytes } from '../../platform/storage-quota/sizes.ts';
import { noResponse, type ResponsesDeps, requireKeeping, scopeOf } from './deps.ts';
import { eventChannel, eventText, newEventWriter } from './event-writer.ts';
import { bytesOfEnded, bytesOfRows, newRows, rowsOf } from './keep.ts';
import type { Item, Owner, ResponseKeeper, ResponseObject } from './keeper.ts';
import { admitItems, limits } from './limits.ts';
import { failureOf, responseOf } from './render.ts';
import { beginWork, cancelWork, countRunning, ownerOf, readResponse, standingOf } from './store/background.ts';
import { deleteResponse } from './store/delete.ts';
import { appendEvents, dropEventsAfter } from './store/events.ts';
import { findResponse } from './store/responses.ts';
import type { ResponseRow } from './store/tables.ts';
import { writeOutcome, writeQueued } from './store/write.ts';

/** One attempt at a background response. */
export interface Attempt {
  /** The response's id. */
  id: string;
  /** Number of the attempt, for fencing. */
  epoch: number;
  /**
   * Request id of the model call, one per attempt. A call is billed once per id; a dead process's hold is released,
   * except for what it had streamed.
   */
  requestId: string;
  /** Aborted when the response is cancelled, or another process took it over. */
  signal: AbortSignal;
  /** Publishes an event to followers and assigns its number. */
  tell(event: Item): void;
}

/**
 * Asks the model as `POST /v1/responses` does, with the owner's current rights, and stores nothing: that is done here.
 */
export type AnswerBackground = (owner: Owner, body: Item, attempt: Attempt) => Promise<ResponseObject>;

export const backgroundQueue = 'responses';
const stopChannel = (id: string): string => `response-stop:${id}`;
/** How often cancellation is polled, in case the message is lost. */
const guardMs = 900;
/**
 * A request that crashes its process must not crash one after the other. Processes that shut down and hand it over do
 * not count.
 */
const mostDeaths = 3;
/** Limit on attempts for any reason. */
const mostBegun = 50;
/** Delay before an unavailable database is asked again. */
const awayMs = 250;
const givenUp =
  'This response was interrupted on every attempt and will not be retried. Send the request again; if it fails again, send a smaller request.';
const maxAttempts = 50;
/** `response.created` and `response.queued`, published by the process that took the request. */
const firstEvents = 2;

/** A response with a job gets no second one. */
export async function enqueueWork({ jobs }: Pick<ResponsesDeps, 'jobs'>, id: string): Promise<void> {
  await jobs.enqueue(backgroundQueue, { id }, { key: id, maxAttempts, promised: true });
}

/** The row first, then its job: a crash in between leaves a row that the sweep finds. */
export async function enqueueResponse(
  deps: ResponsesDeps,
  owner: Owner,
  queued: Parameters<ResponseKeeper['enqueue']>[1],
): Promise<void> {
  requireKeeping(deps, 'background');
  admitItems(queued.input);
  if ((await countRunning(deps.db, owner.userId)) >= limits.running) throw tooManyRunning();
  const response: ResponseObject = { ...queued.response, status: 'queued', background: true, output: [] };
  const { row, items } = await newRows(deps, owner, { ...queued, response });
  const events = ['response.created', 'response.queued'].map((type) => eventText({ type, response }));
  const waiting = { ...row, request: JSON.stringify(queued.body), ended_at: null };
  await deps.storage.take(owner.userId, bytesOfEnded({ row: waiting, items }));
  await writeQueued(deps.db, waiting, items, events);
  // Of requests that came at once, each has found room for itself.
  if ((await countRunning(deps.db, owner.userId)) > limits.running) {
    await deleteResponse(deps.db, scopeOf(deps, owner), response.id);
    throw tooManyRunning();
  }
  await enqueueWork(deps, response.id);
}

const tooManyRunning = () =>
  new AppError(
    'rate_limit_exceeded',
    `At most ${limits.running} responses may be queued or running in the background.`,
  );

/** Continues responses from their rows; called again after a crash, possibly in another process. */
export function openWork(deps: ResponsesDeps, answer: AnswerBackground): (id: string, job: Job) => Promise<Worked> {
  const share = openShares(limits.runningHere);
  const inTurn = async (id: string, job: Job): Promise<Worked> => {
    const userId = await ownerOf(deps.db, id);
    if (userId !== null) return share(userId, () => workOnce(deps, answer, id, job));
  };
  return async (id, job) => {
    try {
      return await inTurn(id, job);
    } catch (error) {
      // The charge is queued together with its answer, and the next attempt finds both.
      if (job.signal.aborted || !isUnavailable(error)) throw error;
      return { againInMs: awayMs };
    }
  };
}

async function workOnce(
  deps: ResponsesDeps,
  answer: AnswerBackground,
  id: string,
  job: Pick<Job, 'attempt' | 'signal'>,
): Promise<void> {
  const row = await beginWork(deps.db, id, nowSeconds(deps.clock));
  if (!row) return;
  // A previous attempt paid for an answer, but crashed before storing it.
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
    // Cancelled, or taken over: what was produced has been charged, and is not stored.
    if (ended) await finish(deps, row, ended);
    else if ((await readResponse(deps.db, id))?.ended_at !== null) await forgetKept(deps.db, id);
  } finally {
    await watch.end();
  }
}

/** Key under which an answer is stored with its charge until it is written here. */
export const callOf = (id: string): CallName => ({ work: id, call: 'response' });

async function attempt(
  deps: ResponsesDeps,
  answer: AnswerBackground,
  row: ResponseRow,
  signal: AbortSignal,
): Promise<ResponseObject | null> {
  const owner: Owner = { userId: row.user_id, keyId: row.key_id === 0 ? null : row.key_id };
  const teller = newEventWriter(deps, row.id, row.epoch);
  const requestId = `${row.id}-${row.epoch}`;
  try {
    const body = JSON.parse(row.request ?? '{}') as Item;
    return await answer(owner, body, { id: row.id, epoch: row.epoch, requestId, signal, tell: teller.tell });
  } catch (error) {
    if ([cancelled, elsewhere].includes(signal.reason)) return null;
    // Shutting down, or fenced: the job is returned, and this error means only that. The same if the database is
    // unavailable.
    if (signal.aborted || isUnavailable(error)) throw error;
    if (!(error instanceof AppError)) deps.log.warn({ error, response: row.id }, 'a background response failed');
    return failureOf(row, error);
  } finally {
    await teller.settled();
  }
}

/** Stores the result, retrying while the database is unavailable, as the answer was paid for. */
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
      writeOutcome(deps.db, scope, row, {
        ...{ ending, items: made, now: nowSeconds(deps.clock), mostLinks: limits.links },
        within: (tx) => forgetKept(tx, row.id),
      }),
    (error) => deps.log.warn({ error, response: row.id }, 'could not store the end of a response'),
  );
  deps.storage.add(row.user_id, ending.bytes + rowBytes * made.length);
  await deps.shared.publish(eventChannel(row.id), '').catch(() => {});
}

/** Whatever status an answer claims, its work is over. */
const endStatus = (status: string): string => (status === 'completed' || status === 'failed' ? status : 'incomplete');

const createdAt = (row: ResponseRow): unknown => (JSON.parse(row.response) as Item).created_at ?? row.created_at;

const cancelled = new AbandonedWork('the response was cancelled', false);
const elsewhere = new AbandonedWork('the response is processed by another process');

/** Aborts the work when its row belongs to another attempt, by message at once and by polling soon after. */
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
  // It may have been cancelled before this listener existed.
  quietly();
  return {
    signal: AbortSignal.any([gone.signal, jobSignal]),
    end: async () => {
      clearInterval(timer);
      await unsubscribe();
    },
  };
}

/** Cancels a response; idempotent. */
export async function cancelResponse(deps: ResponsesDeps, owner: Owner, id: string): Promise<ResponseRow> {
  const scope = scopeOf(deps, owner);
  const found = await findResponse(deps.db, scope, id);
  if (!found) throw noResponse(id);
  if (found.background === 0)
    throw new AppError('invalid_value', "Only responses created with 'background: true' can be cancelled.");
  if (await cancelWork(deps.db, scope, id, nowSeconds(deps.clock))) await stopWork(deps, id);
  const row = await findResponse(deps.db, scope, id);
  if (!row) throw noResponse(id);
  if (row.status !== 'cancelled')
    throw new AppError('conflict', `The response is ${row.status} and can no longer be cancelled.`);
  return row;
}

/** Notifies its worker and followers. The partial answer is discarded. */
export async function stopWork({ db, shared }: Pick<ResponsesDeps, 'db' | 'shared'>, id: string): Promise<void> {
  await forgetKept(db, id);
  await shared.publish(stopChannel(id), '').catch(() => {});
  await shared.publish(eventChannel(id), '').catch(() => {});
}
