import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../lib/until.fixture.ts';
import { openTestJobs } from './jobs.fixture.ts';
import { openShares } from './shares.ts';

test('a job that waits for the share of its owner is still given up after its last attempt', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-shares-'));
  const { jobs, owners } = await openTestJobs({ path: join(folder, 'jobs.db') });
  const share = openShares(1);
  const held = Promise.withResolvers<void>();
  const other = share(1, () => held.promise);
  const attempts: number[] = [];
  let waited = 0;
  jobs.work('shared', { concurrency: 1 }, async ({ attempt }) => {
    // After each attempt, another job of its owner is in progress.
    if (waited < attempts.length) {
      waited += 1;
      return share(1, async () => {});
    }
    attempts.push(attempt);
    throw new Error('no answer');
  });
  await jobs.start();
  await jobs.enqueue('shared', {}, { maxAttempts: 2, backoffMs: 10 });
  await until('it is given up', async () => (await jobs.depth()).shared === undefined);
  expect([attempts, waited]).toEqual([[1, 2], 1]);
  held.resolve();
  await other;
  await jobs.stop(0);
  await owners.leave();
  rmSync(folder, { recursive: true });
});

test('an owner has no more than its share in progress; others have theirs', async () => {
  const share = openShares(1);
  const held = Promise.withResolvers<void>();
  const first = share(1, () => held.promise);
  expect(await share(1, async () => {})).toEqual({ notYetInMs: expect.any(Number) });
  expect(await share(2, async () => ({ againInMs: 5 }))).toEqual({ againInMs: 5 });
  held.resolve();
  await first;
  expect(await share(1, async () => {})).toBeUndefined();
});
