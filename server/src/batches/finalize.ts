import { forgetKept } from '../billing/store/kept-answers.ts';
import { nowSeconds } from '../lib/clock.ts';
import { inBatches } from '../platform/db/pages.ts';
import type { BatchesDeps } from './deps.ts';
import { blobOf } from './files.ts';
import { limits } from './limits.ts';
import { resultLine } from './render.ts';
import { advance, endBatch, readBatch } from './store/batches.ts';
import type { NewFile } from './store/files.ts';
import { closePending, countStates, deleteRequests, pageRequests } from './store/requests.ts';
import type { BatchRow, RequestState } from './store/tables.ts';

const succeeded: RequestState[] = ['succeeded'];
const others: RequestState[] = ['errored', 'canceled', 'expired'];
/** Answers can be long: few are read at once. */
const rowsAtOnce = 20;

/** Writes the results and ends the batch; false when there is still something to ask. May be repeated. */
export async function finalizeBatch(deps: BatchesDeps, id: string): Promise<boolean> {
  const { db, clock } = deps;
  let batch = await readBatch(db, id);
  if (!batch || batch.ended_at !== null) return true;
  const now = nowSeconds(clock);
  const left = (await countStates(db, batch.ref)).pending;
  if (batch.status === 'in_progress') {
    if (left > 0 && now < batch.expires_at) return false;
    // Null when it was cancelled just now.
    const set = { status: 'finalizing', finalizing_at: now, touched_at: now };
    batch = (await advance(db, batch.ref, 'in_progress', set)) ?? (await readBatch(db, id));
    if (!batch) return true;
  }
  const cancelled = batch.status === 'cancelling';
  await closePending(db, batch.ref, cancelled ? 'canceled' : 'expired');
  const { pending: _, ...counts } = await countStates(db, batch.ref);
  const status = cancelled ? 'cancelled' : counts.expired > 0 ? 'expired' : 'completed';
  const total = counts.succeeded + counts.errored + counts.canceled + counts.expired;
  const results = await writeResults(deps, batch, counts);
  const { files, ...names } = results;
  if (!(await endBatch(db, batch.ref, { ...counts, ...names, status, total }, files, nowSeconds(clock)))) return true;
  await clearBatch(deps, batch);
  return true;
}

/** What nobody needs after the end. */
export async function clearBatch(
  { db, blobs }: Pick<BatchesDeps, 'db' | 'blobs'>,
  batch: Pick<BatchRow, 'ref' | 'id' | 'wire' | 'input_blob'>,
): Promise<void> {
  await inBatches((most) => deleteRequests(db, batch.ref, most));
  await forgetKept(db, batch.id);
  if (batch.wire === 'anthropic') await blobs.delete(batch.input_blob);
}

type Results = Pick<BatchRow, 'output_file_id' | 'error_file_id' | 'results_blob' | 'bytes'> & { files: NewFile[] };

/** Under names that follow from the batch's: whoever does it again after a kill writes the same. */
async function writeResults(
  deps: BatchesDeps,
  batch: BatchRow,
  counts: Record<'succeeded' | 'errored' | 'canceled' | 'expired', number>,
): Promise<Results> {
  const none: Results = { output_file_id: null, error_file_id: null, results_blob: null, bytes: 0, files: [] };
  if (batch.wire === 'anthropic') {
    const blob = `batches/${batch.id}-results`;
    const results = resultsOf(deps, batch, [...succeeded, ...others]);
    const { size } = await deps.blobs.put(blob, results, 'application/x-jsonl');
    return { ...none, results_blob: blob, bytes: size };
  }
  const failed = counts.errored + counts.canceled + counts.expired;
  const output = counts.succeeded > 0 ? await resultFile(deps, batch, 'output', succeeded) : null;
  const errors = failed > 0 ? await resultFile(deps, batch, 'error', others) : null;
  return {
    ...{ output_file_id: output?.id ?? null, error_file_id: errors?.id ?? null, results_blob: null, bytes: 0 },
    files: [output, errors].filter((file) => file !== null),
  };
}

async function resultFile(
  deps: BatchesDeps,
  batch: BatchRow,
  kind: 'output' | 'error',
  states: RequestState[],
): Promise<NewFile> {
  const id = `file-${batch.id.slice('batch_'.length)}-${kind}`;
  const { size } = await deps.blobs.put(blobOf(id), resultsOf(deps, batch, states), 'application/x-jsonl');
  const now = nowSeconds(deps.clock);
  return {
    ...{ id, user_id: batch.user_id, purpose: 'batch_output', filename: `${batch.id}_${kind}.jsonl`, bytes: size },
    ...{ blob: blobOf(id), ready: 1, created_at: now },
    expires_at: now + (batch.output_seconds ?? limits.keptSeconds),
  };
}

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
