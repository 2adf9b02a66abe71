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
import { newReader } from './reader.ts';
import { beginWork, Overtaken, readBatch } from './store/batches.ts';
import { writeOutcome } from './store/requests.ts';
import type { BatchRow } from './store/tables.ts';
import { validateBatch } from './validate.ts';

export const batchQueue = 'batches';
const maxAttempts = 50;
/** Then another waiting batch gets its turn. */
const turnMs = 20_000;
/** A full disk or an unavailable bucket: retried at this interval for as long as it lasts. */
const unkeptMs = 5_000;

/** A batch with a job gets no second one. */
export async function enqueueBatch({ jobs }: Pick<BatchesDeps, 'jobs'>, id: string): Promise<void> {
  await jobs.enqueue(batchQueue, { id }, { key: id, maxAttempts, promised: true });
}

/** Continues a batch from its rows; called again after a crash, possibly in another process. */
export async function workOn(deps: BatchesDeps, id: string, signal: AbortSignal): Promise<Worked> {
  try {
    const worked = await workOnce(deps, id, signal);
    if (!worked) deps.pauses.forget(id);
    return worked;
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
  if (batch.status === 'in_progress') {
    const leftMs = await answerSome(deps, batch, signal);
    if (leftMs !== null) return { againInMs: leftMs };
  }
  if (!(await finalizeBatch(deps, batch))) return { againInMs: 0 };
}

/**
 * Processes requests for a while, several in parallel. Returns when to continue; null if none is left, or none should
 * be asked any more.
 */
async function answerSome(deps: BatchesDeps, batch: BatchRow, signal: AbortSignal): Promise<number | null> {
  const { clock, pauses, db } = deps;
  const hasExpired = () => nowSeconds(clock) >= batch.expires_at;
  const pausedMs = pauses.leftMs(batch.id);
  if (pausedMs > 0 && !hasExpired()) return pausedMs;
  const turn = new Turn();
  const endsMs = clock.steadyMs() + turnMs;
  const next = newReader(db, batch.ref, pauses.lastOf(batch.id));
  const lane = async (): Promise<void> => {
    try {
      while (turn.goesOn) {
        signal.throwIfAborted();
        if (hasExpired()) turn.ended = true;
        else if (clock.steadyMs() >= endsMs) turn.over = true;
        else {
          const row = await next();
          if (!row) return;
          turn.last = row.position;
          const outcome = await askRequest(deps, batch, row, signal);
          if (outcome.state === 'limited') turn.limited(outcome.toldMs);
          else if ((await write(deps, batch, { row, outcome })) === 'in_progress') turn.progressed();
          else turn.ended = true;
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
  if (turn.ended) return null;
  if (turn.refusals > 0 && (turn.inARow > 0 || !turn.over)) {
    pauses.begin(batch.id, turn);
    return pauses.leftMs(batch.id);
  }
  return turn.over ? 0 : null;
}

/** What the lanes of a batch know of each other. */
class Turn {
  /** Time for another batch, or the model refuses every request. */
  over = false;
  /** Nothing more should be asked: the batch has expired, or was cancelled, deleted or taken over. */
  ended = false;
  answered = false;
  /** Requests refused for a rate limit, and those since the last answer. */
  refusals = 0;
  inARow = 0;
  toldMs = 0;
  last = 0;

  get goesOn(): boolean {
    return !this.over && !this.ended;
  }

  /** A single request may be too large for a limit that admits others, so several must be refused. */
  limited(toldMs: number): void {
    this.refusals += 1;
    this.inARow += 1;
    this.toldMs = Math.max(this.toldMs, toldMs);
    if (this.inARow >= parallel.requests) this.over = true;
  }

  progressed(): void {
    this.answered = true;
    this.inARow = 0;
  }
}

/** Durable before the next request. Returns the batch's status. The answer was paid for, so the write is retried while the database is unavailable. */
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
