/** Batches whose process stood still and comes back late, when another has gone on; and those without room for results. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../lib/clock.ts';
import { randomHex } from '../lib/ids.ts';
import { diskBlobs } from '../platform/blobs/disk.ts';
import type { Blobs } from '../platform/blobs/port.ts';
import { openMigrated } from '../platform/db/migrated.fixture.ts';
import type { OpenDb } from '../platform/db/open.ts';
import { unbounded } from '../platform/storage-quota/storage-quota.fixture.ts';
import type { BatchesDeps } from './deps.ts';
import { Pauses } from './pauses.ts';
import { beginWork, insertBatch, Overtaken, readBatch } from './store/batches.ts';
import { countStates, insertRequests, writeOutcome } from './store/requests.ts';
import type { BatchRow, Wire } from './store/tables.ts';
import { validateBatch } from './validate.ts';
import { workOn } from './work.ts';

/** More than are read at once and ahead. */
const total = 70;
const now = Math.floor(Date.now() / 1000);
const signal = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'svc-stood-still-'));
let database: OpenDb;
let blobs: Blobs;
beforeAll(async () => {
  database = await openMigrated();
  blobs = await diskBlobs(folder);
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

// Nothing is asked here: what asks models, and admits whoever asks, is left out.
const depsWith = (kept: Blobs) =>
  ({
    ...{ db: database.db, blobs: kept, clock: systemClock, owners: { id: 'one' } },
    storage: unbounded,
    pauses: new Pauses(systemClock),
    ...{ knows: () => true, permit: async () => ({ group: 'default' }) },
    log: { warn: () => {} },
  }) as unknown as BatchesDeps;

async function newBatch(wire: Wire, status: string): Promise<BatchRow> {
  const id = `${wire === 'openai' ? 'batch' : 'msgbatch'}_${randomHex(32)}`;
  const lines = Array.from({ length: total }, (_, n) =>
    JSON.stringify({ custom_id: `c${n}`, method: 'POST', url: '/v1/chat/completions', body: { model: 'm' } }),
  );
  await blobs.put(`batches/${id}-input`, Buffer.from(lines.join('\n')), 'application/x-jsonl');
  return insertBatch(database.db, {
    ...{ id, wire, status, user_id: 1, key_id: null, endpoint: '/v1/chat/completions', input_file_id: null },
    ...{ input_blob: `batches/${id}-input`, results_blob: null, output_seconds: null, model: null, metadata: null },
    ...{ errors: null, output_file_id: null, error_file_id: null, finalizing_at: null, ended_at: null, bytes: 0 },
    ...{ created_at: now, touched_at: now, expires_at: now + 3_600, cancelling_at: null },
    in_progress_at: status === 'in_progress' ? now : null,
  });
}

const fine = { state: 'succeeded', requestId: 'r', statusCode: 200, text: '{"fine":true}' } as const;
const answer = (batch: BatchRow, position: number) =>
  writeOutcome(database.db, batch, { position }, fine, now, async () => {});

/** One of which every line is answered. */
async function answered(wire: Wire): Promise<BatchRow> {
  const batch = await newBatch(wire, 'in_progress');
  const rows = Array.from({ length: total }, (_, n) => ({ position: n + 1, custom_id: `c${n}` }));
  await insertRequests(
    database.db,
    batch.ref,
    rows.map((row) => ({ ...row, first_byte: 0, last_byte: 0 })),
  );
  for (const { position } of rows) await answer(batch, position);
  return batch;
}

/** Writes the beginning of what it is given, and the rest when it is told to. */
function standingStill() {
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const put: Blobs['put'] = async (key, content, type) => {
    const reader = (content as ReadableStream<Uint8Array>).getReader();
    let first = true;
    const slow = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          if (!first) await goOn.promise;
          const { done, value } = await reader.read();
          if (done) return controller.close();
          controller.enqueue(value);
          if (first) begun.resolve();
          first = false;
        },
      },
      { highWaterMark: 0 },
    );
    return blobs.put(key, slow, type);
  };
  return { blobs: { ...blobs, put }, begun: begun.promise, goOn: goOn.resolve };
}

describe.each(['openai', 'anthropic'] as const)('a batch in the %s format', (wire) => {
  test('has all its results when a stalled worker resumes late', async () => {
    const batch = await answered(wire);
    const still = standingStill();
    const late = workOn(depsWith(still.blobs), batch.id, signal);
    await still.begun;
    await workOn(depsWith(blobs), batch.id, signal);
    still.goOn();
    await late;
    const ended = (await readBatch(database.db, batch.id))!;
    expect(ended).toMatchObject({ status: 'completed', succeeded: total });
    const files = await database.db.selectFrom('files').selectAll().execute();
    expect(files.map(({ id }) => id)).toEqual(wire === 'openai' ? [ended.output_file_id!] : []);
    const blob = wire === 'openai' ? files[0]!.blob : ended.results_blob!;
    const text = await new Response(await blobs.read(blob)).text();
    expect(text.trim().split('\n')).toHaveLength(total);
    // What the late one wrote is gone.
    expect(readdirSync(join(folder, 'data/files'))).toEqual([blob.replace('files/', '')]);
    await blobs.delete(blob);
    await database.db.deleteFrom('files').execute();
  });
});

test('results that fail to write on a full disk are written later, and no partial file stays', async () => {
  const { id } = await answered('openai');
  const put = () => Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
  expect(await workOn(depsWith({ ...blobs, put }), id, signal)).toEqual({ againInMs: expect.any(Number) });
  expect(await database.db.selectFrom('files').selectAll().execute()).toEqual([]);
  expect(await readBatch(database.db, id)).toMatchObject({ status: 'finalizing', ended_at: null });
  await workOn(depsWith(blobs), id, signal);
  expect(await readBatch(database.db, id)).toMatchObject({ status: 'completed', succeeded: total });
});

test('stored answers stay when a stalled worker validates again or returns its own answer', async () => {
  const { id } = await newBatch('openai', 'validating');
  const begin = async () => (await beginWork(database.db, id, now))!;
  const still = await begin();
  const batch = await begin();
  await validateBatch(depsWith(blobs), batch, signal);
  await answer(batch, 7);
  const counted = await countStates(database.db, batch.ref);
  expect(counted).toMatchObject({ pending: total - 1, succeeded: 1 });
  await expect(validateBatch(depsWith(blobs), still, signal)).rejects.toBeInstanceOf(Overtaken);
  await expect(answer(still, 8)).rejects.toBeInstanceOf(Overtaken);
  expect(await countStates(database.db, batch.ref)).toEqual(counted);
  expect(await readBatch(database.db, id)).toMatchObject({ status: 'in_progress', total, succeeded: 1 });
});
