import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openTestApp, type TestApp } from './app.fixture.ts';

interface State {
  version: string;
  memory: { rss_bytes: number };
  queues: { queue: string; jobs: number }[];
}

let site: TestApp;
beforeAll(async () => {
  site = await openTestApp();
});
afterAll(() => site.close());

test('an administrator sees version, engines and load', async () => {
  const root = await site.root();
  await site.platform.jobs.enqueue('a-queue', {});
  const response = await root.call('/api/admin/system');
  expect(response.status).toBe(200);
  const { data } = (await response.json()) as { data: State };
  expect(data).toMatchObject({
    engines: { database: site.platform.database.engine, shared: site.platform.shared.kind, blobs: 'disk' },
    open_holds: { holds: 0, amount: 0 },
    built_in: { mode: 'auto', active: true },
    open_upstream_calls: 0,
    shared_fault: null,
  });
  expect(data.version).toMatch(/^\d+\.\d+\.\d+/);
  expect(data.memory.rss_bytes).toBeGreaterThan(1_000_000);
  if (site.platform.database.engine === 'sqlite') expect(data.queues).toEqual([{ queue: 'a-queue', jobs: 1 }]);
});

test('other users are refused', async () => {
  const user = await site.user();
  expect((await user.call('/api/admin/system')).status).toBe(403);
  expect((await site.call('/api/admin/system')).status).toBe(401);
});
