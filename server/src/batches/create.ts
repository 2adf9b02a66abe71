import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { timedHex } from '../lib/ids.ts';
import { rowBytes } from '../platform/storage-quota/sizes.ts';
import { type BatchesDeps, noBatch, noFile } from './deps.ts';
import { putFile } from './files.ts';
import { clearBatch } from './finalize.ts';
import { limits } from './limits.ts';
import * as store from './store/batches.ts';
import { dropFile, findFile } from './store/files.ts';
import { formerPlace, type Place } from './store/place.ts';
import type { BatchRow, Wire } from './store/tables.ts';
import { enqueueBatch } from './work.ts';

/** The owner, and the key it works with. */
export interface Owner {
  userId: number;
  keyId: number | null;
}

const tooMany = () =>
  new AppError('rate_limit_exceeded', `At most ${limits.running} batches may be in progress at once.`);

async function refuseMany({ db }: BatchesDeps, { userId }: Owner): Promise<void> {
  if ((await store.countRunning(db, userId)) >= limits.running) throw tooMany();
}

/** Starts the work, unless batches created at the same moment exceed the limit together: each passed the check alone. */
async function accept(deps: BatchesDeps, batch: BatchRow): Promise<BatchRow> {
  if ((await store.countRunning(deps.db, batch.user_id)) > limits.running) {
    await removeBatch(deps, batch);
    throw tooMany();
  }
  await enqueueBatch(deps, batch.id);
  return batch;
}

interface NewBatch {
  endpoint: string;
  inputFileId: string;
  metadata: Record<string, string> | null;
  outputSeconds: number | null;
}

/** The row first, then its job: a crash in between leaves a row that the sweep finds. */
export async function createFromFile(deps: BatchesDeps, owner: Owner, given: NewBatch): Promise<BatchRow> {
  const now = nowSeconds(deps.clock);
  const file = await findFile(deps.db, owner.userId, given.inputFileId, now);
  if (!file) throw noFile(given.inputFileId, 'input_file_id');
  if (file.purpose !== 'batch')
    throw new AppError('invalid_value', "The input file must be uploaded with purpose 'batch'.", {
      param: 'input_file_id',
    });
  await refuseMany(deps, owner);
  await deps.storage.take(owner.userId, rowBytes);
  const batch = await insert(deps, owner, `batch_${timedHex(deps.clock.nowMs(), 32)}`, 'openai', {
    ...{ endpoint: given.endpoint, input_file_id: file.id, input_blob: file.blob, total: 0, bytes: 0 },
    metadata: given.metadata === null ? null : JSON.stringify(given.metadata),
    output_seconds: given.outputSeconds,
  });
  return accept(deps, batch);
}

/** Requests in the body become an input file. */
export async function createFromRequests(
  deps: BatchesDeps,
  owner: Owner,
  requests: { custom_id: string; params: unknown }[],
): Promise<BatchRow> {
  await refuseMany(deps, owner);
  const id = `msgbatch_${timedHex(deps.clock.nowMs(), 32)}`;
  const lines = requests.map(({ custom_id, params }) => `${JSON.stringify({ custom_id, params })}\n`);
  // Lines are read later, where one that is too long would fail the whole batch without an explanation.
  const long = lines.findIndex((line) => Buffer.byteLength(line) > limits.lineBytes);
  if (long >= 0)
    throw new AppError('request_too_large', `requests.${long} is larger than ${limits.lineBytes} bytes.`, {
      param: `requests.${long}`,
    });
  const bytes = Buffer.from(lines.join(''));
  await deps.storage.take(owner.userId, bytes.byteLength + rowBytes);
  const input = await putFile(deps, owner.userId, bytes);
  const batch = await deps.db.transaction().execute(async (tx) => {
    // From here on the batch owns it.
    await dropFile(tx, input.id);
    return insert({ ...deps, db: tx }, owner, id, 'anthropic', {
      ...{ endpoint: '/v1/messages', input_file_id: null, input_blob: input.blob, total: requests.length },
      ...{ metadata: null, output_seconds: null, bytes: bytes.byteLength },
    });
  });
  return accept(deps, batch);
}

type Input = Pick<
  BatchRow,
  'endpoint' | 'input_file_id' | 'input_blob' | 'total' | 'bytes' | 'metadata' | 'output_seconds'
>;

function insert({ db, clock }: BatchesDeps, owner: Owner, id: string, wire: Wire, input: Input): Promise<BatchRow> {
  const now = nowSeconds(clock);
  return store.insertBatch(db, {
    ...{ id, wire, user_id: owner.userId, key_id: owner.keyId, status: 'validating' },
    ...input,
    ...{ created_at: now, touched_at: now, expires_at: now + limits.windowSeconds },
  } as Parameters<typeof store.insertBatch>[1]);
}

export async function requireBatch({ db }: BatchesDeps, userId: number, wire: Wire, id: string): Promise<BatchRow> {
  const batch = await store.findBatch(db, userId, wire, id);
  if (!batch) throw noBatch(id);
  return batch;
}

/** The list position of a batch, also of a deleted one; undefined if none is named. */
export async function placeOfBatch(
  { db, clock }: BatchesDeps,
  userId: number,
  wire: Wire,
  id: string | undefined,
): Promise<Place | undefined> {
  if (id === undefined) return undefined;
  const batch = await store.readBatch(db, id);
  const own = batch === null || (batch.user_id === userId && batch.wire === wire);
  const place = own ? (batch ?? formerPlace(id, clock.nowMs())) : null;
  if (!place) throw noBatch(id);
  return place;
}

/** Requests in progress finish, others are not started. Idempotent; null if the batch has ended. */
export async function cancel(deps: BatchesDeps, batch: BatchRow): Promise<BatchRow | null> {
  await store.cancelBatch(deps.db, batch.ref, nowSeconds(deps.clock));
  const now = await store.readBatch(deps.db, batch.id);
  if (!now) throw noBatch(batch.id);
  if (now.status !== 'cancelling') return null;
  await enqueueBatch(deps, batch.id);
  return now;
}

/** Including its results, unless they are files of the user. Of concurrent calls, only one gets true. */
export async function removeBatch(deps: Pick<BatchesDeps, 'db' | 'blobs'>, batch: store.Remains): Promise<boolean> {
  await clearBatch(deps, batch);
  if (batch.results_blob !== null) await deps.blobs.delete(batch.results_blob);
  return store.deleteBatch(deps.db, batch.ref);
}
