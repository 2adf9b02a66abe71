/** Batches whose requests are refused for a rate limit: they wait for it, as long as the batch does. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type ManualClock, manualClock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { randomHex } from '../lib/ids.ts';
import { diskBlobs } from '../platform/blobs/disk.ts';
import type { Blobs } from '../platform/blobs/port.ts';
import { openMigrated } from '../platform/db/migrated.fixture.ts';
import type { OpenDb } from '../platform/db/open.ts';
import { MemoryBudget } from '../platform/http/memory-budget.ts';
import { defineRoute, json } from '../platform/http/route.ts';
import { unbounded } from '../platform/storage-quota/storage-quota.fixture.ts';
import type { BatchesDeps } from './deps.ts';
import { Pauses } from './pauses.ts';
import { cancelBatch, insertBatch, readBatch } from './store/batches.ts';
import { workOn } from './work.ts';

const daySeconds = 86_400;
const signal = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'svc-limited-'));
let database: OpenDb;
let blobs: Blobs;
let clock: ManualClock;
/** The second in which each request was asked, by the number of its line. */
let asked: { line: number; second: number }[];
/** What the model does with a line. */
let answer: (line: number, second: number) => void;
beforeAll(async () => {
  database = await openMigrated();
  blobs = await diskBlobs(folder);
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  clock = manualClock(1_700_000_000_000);
  asked = [];
});

const second = (): number => (clock.nowMs() - 1_700_000_000_000) / 1_000;
const route = defineRoute({
  ...{ tag: 'Test', summary: '', auth: 'none', limit: null, errors: 'openai', answers: { 200: z.object({}) } },
  ...{ method: 'post', path: '/v1/chat/completions', bodyAs: 'raw' },
  handle: async (call) => {
    const { line } = (await call.request.json()) as { line: number };
    asked.push({ line, second: second() });
    answer(line, second());
    return json(call, { said: 'tea' });
  },
});

const limited = (headers: Record<string, string> = {}) => new AppError('capacity_exhausted', 'slow down', { headers });

async function newBatch(lines: number) {
  const now = clock.nowMs() / 1_000;
  const id = `batch_${randomHex(32)}`;
  const text = Array.from({ length: lines }, (_, line) =>
    JSON.stringify({ custom_id: `c${line}`, method: 'POST', url: route.path, body: { model: 'm', line } }),
  );
  await blobs.put(`batches/${id}-input`, Buffer.from(text.join('\n')), 'application/x-jsonl');
  const row = await insertBatch(database.db, {
    ...{ id, wire: 'openai', status: 'validating', user_id: 1, key_id: null, endpoint: route.path },
    ...{ input_file_id: null, input_blob: `batches/${id}-input`, results_blob: null, output_seconds: null },
    ...{ model: null, metadata: null, errors: null, output_file_id: null, error_file_id: null, bytes: 0 },
    ...{ created_at: now, touched_at: now, expires_at: now + daySeconds, in_progress_at: null },
    ...{ finalizing_at: null, cancelling_at: null, ended_at: null },
  });
  // What is asked of the house for requests that need no charge.
  const deps = {
    ...{ db: database.db, blobs, clock, owners: { id: 'one' }, storage: unbounded, routes: [route] },
    ...{ memoryBudget: new MemoryBudget(), log: { warn: () => {} }, pauses: new Pauses(clock), priceFactor: () => 1 },
    knows: () => true,
    permit: async () => ({ group: 'default', models: [], unlimited: true }),
  } as unknown as BatchesDeps;
  return {
    row,
    /** Takes turns until the batch ends, or until it is told to stop; time passes only between them. */
    work: async (until = () => false) => {
      for (let turns = 0; turns < 50_000 && !until(); turns++) {
        const worked = await workOn(deps, id, signal);
        if (!worked) return;
        const { againInMs } = worked as { againInMs: number };
        // A cancelled batch must not wait for the limit.
        expect(againInMs).toBeLessThanOrEqual(5_000);
        clock.advance(againInMs);
      }
    },
    read: async () => (await readBatch(database.db, id))!,
  };
}

test('requests that a model refuses for hours are answered afterwards, and are seldom asked meanwhile', async () => {
  const hours = 3_600 * 3;
  answer = (_, at) => {
    if (at < hours) throw limited();
  };
  const batch = await newBatch(20);
  await batch.work();
  expect(await batch.read()).toMatchObject({ status: 'completed', succeeded: 20, errored: 0 });
  const meanwhile = asked.filter((one) => one.second < hours);
  // At most 8 in progress and 7 more, every five minutes once the pauses have grown.
  expect(meanwhile.length).toBeLessThan(15 * 50);
  // Each was tried: none stands in the way of the others.
  expect(new Set(meanwhile.map(({ line }) => line)).size).toBe(20);
  expect(second() - hours).toBeLessThan(310);
});

test.each([
  [{ 'retry-after': '600' }, 600],
  [{ 'retry-after-ms': '90500', 'retry-after': '91' }, 90.5],
  // As far as anybody should believe it.
  [{ 'retry-after': '99999999' }, 3_600],
])('%j is waited for', async (headers, seconds) => {
  let refused = 0;
  answer = () => {
    refused += 1;
    if (refused <= 3) throw limited(headers);
  };
  const batch = await newBatch(3);
  await batch.work();
  expect(await batch.read()).toMatchObject({ status: 'completed', succeeded: 3 });
  expect(asked.map((one) => one.second)).toEqual([0, 0, 0, seconds, seconds, seconds]);
});

test('a request that is always over the limit holds no other up, and expires with the batch', async () => {
  answer = (line) => {
    if (line === 0) throw limited();
  };
  const batch = await newBatch(30);
  await batch.work(() => asked.length >= 31);
  expect(second()).toBeLessThan(10);
  expect(await batch.read()).toMatchObject({ status: 'in_progress', succeeded: 29 });
  await batch.work();
  expect(await batch.read()).toMatchObject({ status: 'expired', succeeded: 29, errored: 0, expired: 1 });
  expect(second()).toBeGreaterThanOrEqual(daySeconds);
  expect(second()).toBeLessThan(daySeconds + 10);
});

test('a batch that waits can be cancelled, and keeps what was answered', async () => {
  answer = (line) => {
    if (line >= 10) throw limited({ 'retry-after': '3000' });
  };
  const batch = await newBatch(20);
  await batch.work(() => second() > 60);
  await cancelBatch(database.db, batch.row.ref, clock.nowMs() / 1_000);
  await batch.work();
  expect(await batch.read()).toMatchObject({ status: 'cancelled', succeeded: 10, canceled: 10 });
  expect(second()).toBeLessThan(80);
});

test('what waiting does not change ends a request at once', async () => {
  answer = () => {
    throw new AppError('insufficient_user_quota', 'no money');
  };
  const batch = await newBatch(20);
  await batch.work();
  expect(await batch.read()).toMatchObject({ status: 'completed', errored: 20 });
  expect([asked.length, second()]).toEqual([20, 0]);
});
