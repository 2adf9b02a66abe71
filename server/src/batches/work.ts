import { forgetKept } from '../billing/store/kept-answers.ts';
import { nowSeconds } from '../lib/clock.ts';
import { isStorageFailure } from '../platform/blobs/errors.ts';
import type { Worked } from '../platform/durable/jobs.ts';
import { retryUntilWritten } from '../platform/durable/lease.ts';
import { bytesOfRow } from '../platform/storage-quota/sizes.ts';
import { askRequest, callOf, innerWorkOf, type Paid, paidOutcomes } from './ask.ts';
import type { BatchesDeps } from './deps.ts';
import { finalizeBatch } from './finalize.ts';
import { parallel } from './limits.ts';
import { beginWork, Overtaken, readBatch } from './store/batches.ts';
import { pendingRequests, writeOutcome } from './store/requests.ts';
import type { BatchRow, RequestRow } from './store/tables.ts';
import { validateBatch } from './validate.ts';

export const batchQueue = 'batches';
const maxAttempts = 50;
/** Then another waiting batch gets its turn. */
const turnMs = 20_000;
const rowsAtOnce = 100;
/** A full disk or an unavailable bucket: retried at this interval for as long as it lasts. */
const unkeptMs = 5_000;

/** A batch with a job gets no second one. */
export async function enqueueBatch({ jobs }: Pick<BatchesDeps, 'jobs'>, id: string): Promise<void> {
  await jobs.enqueue(batchQueue, { id }, { key: id, maxAttempts, promised: true });
}

/** Continues a batch from its rows; called again after a crash, possibly in another process. */
export async function workOn(deps: BatchesDeps, id: string, signal: AbortSignal): Promise<Worked> {
  try {
    return await workOnce(deps, id, signal);
  } catch (error) {
    if (error instanceof Overtaken) return;
    if (signal.aborted || !isStorageFailure(error)) throw error;
    deps.log.warn({ error, batch: id }, 'could not read or write files of a batch; will retry');
    return { againInMs: unkeptMs };
  }
}

async function workOnce(deps: BatchesDeps, id: string, signal: AbortSignal): Promise<Worked> {
  const begun = await beginWork(deps.db, id, nowSeconds(deps.clock));
  if (!begun) return;
  // Before anything is asked, expires or is cancelled: these were answered.
  if (begun.attempts > 1) for (const paid of await paidOutcomes(deps, begun)) await write(deps, begun, paid);
  // Also if it was cancelled before: each of its requests is marked so.
  if (begun.in_progress_at === null) await validateBatch(deps, begun, signal);
  const batch = await readBatch(deps.db, id);
  if (!batch || batch.ended_at !== null || batch.attempts !== begun.attempts) return;
  if (batch.status === 'in_progress' && !(await answerSome(deps, batch, signal))) return { againInMs: 0 };
  if (!(await finalizeBatch(deps, batch))) return { againInMs: 0 };
}

/** Processes requests for a while, several in parallel; true if none is left, or none should be asked any more. */
async function answerSome(deps: BatchesDeps, batch: BatchRow, signal: AbortSignal): Promise<boolean> {
  const turn = { endsMs: deps.clock.steadyMs() + turnMs, over: false, ended: false };
  const next = newReader(deps, batch.ref);
  const lane = async (): Promise<void> => {
    try {
      while (!turn.over && !turn.ended) {
        signal.throwIfAborted();
        if (nowSeconds(deps.clock) >= batch.expires_at) turn.ended = true;
        else if (deps.clock.steadyMs() >= turn.endsMs) turn.over = true;
        else {
          const row = await next();
          if (!row) return;
          if (!(await answerOne(deps, batch, row, signal))) turn.ended = true;
        }
      }
    } catch (error) {
      // Stops the others as well: the work starts again.
      turn.over = true;
      throw error;
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: parallel.requests }, lane));
  const failed = lanes.find((settled) => settled.status === 'rejected');
  if (failed) throw failed.reason;
  return turn.ended || !turn.over;
}

/** The outcome is durable before the next request. False if the batch was cancelled, deleted or taken over. */
async function answerOne(deps: BatchesDeps, batch: BatchRow, row: RequestRow, signal: AbortSignal): Promise<boolean> {
  const outcome = await askRequest(deps, batch, row, signal);
  return (await write(deps, batch, { row, outcome })) === 'in_progress';
}

/** Returns the batch's status. The answer was paid for, so the write is retried while the database is unavailable. */
async function write(deps: BatchesDeps, batch: BatchRow, { row, outcome }: Paid): Promise<string | undefined> {
  let status: string | undefined;
  const { work, call } = callOf(batch, row);
  await retryUntilWritten(
    deps.owners,
    async () => {
      const now = nowSeconds(deps.clock);
      const written = await writeOutcome(deps.db, batch, row, outcome, now, async (tx) => {
        await forgetKept(tx, work, [call]);
        await forgetKept(tx, innerWorkOf(batch, row));
      }).catch((error) => {
        if (!(error instanceof Overtaken)) throw error;
      });
      status = written?.status;
    },
    (error) => deps.log.warn({ error, batch: batch.id }, 'could not store a batch response'),
  );
  deps.storage.add(batch.user_id, bytesOfRow(outcome.text));
  return status;
}

/** Reads requests one by one, in pages. */
function newReader({ db }: BatchesDeps, ref: number): () => Promise<RequestRow | undefined> {
  let rows: RequestRow[] = [];
  let last = 0;
  let reading: Promise<void> | null = null;
  let ended = false;
  const read = async () => {
    rows = await pendingRequests(db, ref, last, rowsAtOnce);
    last = rows.at(-1)?.position ?? last;
    ended = rows.length === 0;
  };
  return async () => {
    while (rows.length === 0 && !ended) {
      reading ??= read().finally(() => {
        reading = null;
      });
      await reading;
    }
    return rows.shift();
  };
}
