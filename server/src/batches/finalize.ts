import { forgetKept } from '../billing/store/kept-answers.ts';
import { nowSeconds } from '../lib/clock.ts';
import { inBatches } from '../platform/db/pages.ts';
import type { Db } from '../platform/db/tables.ts';
import { type BatchesDeps, noFile } from './deps.ts';
import { putFile } from './files.ts';
import { limits } from './limits.ts';
import { resultLine } from './render.ts';
import { advance, endBatch, readBatch, withinAttempt } from './store/batches.ts';
import { completeFile, dropFile } from './store/files.ts';
import { closePending, countStates, deleteRequests, pageRequests } from './store/requests.ts';
import type { BatchRow, RequestState } from './store/tables.ts';

const succeeded: RequestState[] = ['succeeded'];
const others: RequestState[] = ['errored', 'canceled', 'expired'];
/** Answers can be long, so few are read at once. */
const rowsAtOnce = 20;

/** Writes the results and ends the batch; false if requests remain. Idempotent. */
export async function finalizeBatch(deps: BatchesDeps, begun: BatchRow): Promise<boolean> {
  const { db, clock } = deps;
  let batch = begun;
  const now = nowSeconds(clock);
  const left = (await countStates(db, batch.ref)).pending;
  if (batch.status === 'in_progress') {
    if (left > 0 && now < batch.expires_at) return false;
    const set = { status: 'finalizing', finalizing_at: now, touched_at: now };
    const moved = (await advance(db, batch, 'in_progress', set)) ?? (await readBatch(db, batch.id));
    // Deleted, or cancelled just now.
    if (!moved) return true;
    batch = moved;
  }
  const cancelled = batch.status === 'cancelling';
  await withinAttempt(db, begun, (tx) => closePending(tx, begun.ref, cancelled ? 'canceled' : 'expired'));
  const { pending: _, ...counts } = await countStates(db, batch.ref);
  const status = cancelled ? 'cancelled' : counts.expired > 0 ? 'expired' : 'completed';
  const total = counts.succeeded + counts.errored + counts.canceled + counts.expired;
  const written = await writeResults(deps, batch, counts);
  const ending = { ...counts, ...written.names, status, total };
  if (await endBatch(db, batch.ref, ending, nowSeconds(clock), written.show)) await clearBatch(deps, batch);
  else await written.giveUp();
  return true;
}

/** Deletes what is not needed after the end. */
export async function clearBatch(
  { db, blobs }: Pick<BatchesDeps, 'db' | 'blobs'>,
  batch: Pick<BatchRow, 'ref' | 'id' | 'wire' | 'input_blob'>,
): Promise<void> {
  await inBatches((most) => deleteRequests(db, batch.ref, most));
  await forgetKept(db, batch.id);
  if (batch.wire === 'anthropic') await blobs.delete(batch.input_blob);
}

interface Results {
  names: Pick<BatchRow, 'output_file_id' | 'error_file_id' | 'results_blob' | 'bytes'>;
  /** Runs in the transaction that ends the batch. */
  show(tx: Db): Promise<unknown>;
  giveUp(): Promise<unknown>;
}

/**
 * Each attempt writes its own files. A process that resumes late and finds the requests deleted would otherwise
 * overwrite a complete file; leftovers of a crash are found by the sweep.
 */
async function writeResults(
  deps: BatchesDeps,
  batch: BatchRow,
  counts: Record<'succeeded' | 'errored' | 'canceled' | 'expired', number>,
): Promise<Results> {
  const none = { output_file_id: null, error_file_id: null, results_blob: null, bytes: 0 };
  if (batch.wire === 'anthropic') {
    const { id, blob, size, giveUp } = await resultFile(deps, batch, [...succeeded, ...others]);
    return { names: { ...none, results_blob: blob, bytes: size }, show: (tx) => dropFile(tx, id), giveUp };
  }
  const failed = counts.errored + counts.canceled + counts.expired;
  const output = counts.succeeded > 0 ? await resultFile(deps, batch, succeeded) : null;
  const errors = failed > 0 ? await resultFile(deps, batch, others) : null;
  const expires_at = nowSeconds(deps.clock) + (batch.output_seconds ?? limits.keptSeconds);
  return {
    names: { ...none, output_file_id: output?.id ?? null, error_file_id: errors?.id ?? null },
    show: async (tx) => {
      for (const [kind, file] of Object.entries({ output, error: errors })) {
        const about = { purpose: 'batch_output', filename: `${batch.id}_${kind}.jsonl`, expires_at };
        if (file && !(await completeFile(tx, file.id, { ...about, bytes: file.size }))) throw noFile(file.id);
      }
    },
    giveUp: () => Promise.all([output?.giveUp(), errors?.giveUp()]),
  };
}

const resultFile = (deps: BatchesDeps, batch: BatchRow, states: RequestState[]) =>
  putFile(deps, batch.user_id, resultsOf(deps, batch, states));

function resultsOf({ db }: BatchesDeps, batch: BatchRow, states: RequestState[]): ReadableStream<Uint8Array> {
  let last = 0;
  return new ReadableStream({
    pull: async (controller) => {
      const rows = await pageRequests(db, batch.ref, states, last, rowsAtOnce);
      if (rows.length === 0) return controller.close();
      last = rows.at(-1)!.position;
      controller.enqueue(Buffer.from(rows.map((row) => `${resultLine(batch, row)}\n`).join('')));
    },
  });
}
