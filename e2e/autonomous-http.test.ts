/** Autonomous runs through the whole service: who can start them, what they cost, and a graceful stop in between. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { follow, goal, type Model, planningModel } from './autonomous-run.ts';
import { type Service, startService, until } from './service.ts';
import { startUpstream, type Upstream } from './upstream.ts';

let service: Service;
let upstream: Upstream;
let model: Model;
const path = '/api/svc-ms/autonomous';

beforeAll(async () => {
  model = planningModel(100);
  upstream = startUpstream((asked) => model.script(asked));
  service = await startService({ env: { DEMO_PROVIDER: 'off', DRAIN_SECONDS: '300' } });
  // 18 tokens per call at 10,000 USD per million: 90,000 quota each.
  const price = { promptPrice: 10_000, completionPrice: 10_000, maxOutputTokens: 10 };
  await service.serve({ kind: 'openai', url: upstream.url, ...price });
}, 300_000);
afterAll(async () => {
  upstream?.stop();
  await service?.stop();
});

test('a run needs a valid key or session, and a key that allows the model', async () => {
  const body = { message: 'Say hello' };
  expect((await service.post(`${path}/execute`, body, { key: 'sk-wrong' })).status).toBe(401);
  const user = await service.user();
  const key = await user.key({ models: ['test/other'] });
  const refused = await service.post(`${path}/execute`, body, { key });
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ success: false, message: expect.stringContaining('svc/svc-ms') });
  expect(await user.api<{ total: number }>(path)).toMatchObject({ total: 0 });
  expect((await fetch(`${service.url}${path}`)).status).toBe(401);
});

test('no run starts without a balance of the user and of the key', async () => {
  const poor = await service.user(0);
  const rich = await service.user(2_200_000);
  const keys = [await poor.key(), await rich.key({ remain_quota: 0, unlimited_quota: false })];
  for (const [i, user] of [poor, rich].entries()) {
    const refused = await service.post(`${path}/execute`, { message: goal }, { key: keys[i]! });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ success: false, message: expect.stringContaining('does not cover') });
    expect(await user.api<{ total: number }>(path)).toMatchObject({ total: 0 });
    expect(await user.api<{ total: number }>('/api/svc-ms/sessions')).toMatchObject({ total: 0 });
  }
  expect((await service.self(rich)).quota).toBe(2_200_000);
});

test('a run pauses when the balance is used up, resumes after a top-up, and pays each call once', async () => {
  model.content = true;
  // Enough for the plan and one or two tasks; a hold estimates the whole answer.
  const user = await service.user(2_200_000);
  const key = await user.key();
  const started = await service.post(`${path}/execute`, { message: goal, session_id: 'money' }, { key });
  expect(started.status).toBe(200);
  const end = await follow(() => [service.url], 'money', key).done;
  expect([end.event, end.data.reason]).toEqual(['execution_paused', 'insufficient_quota']);
  const before = await service.self(user);
  expect(before.quota).toBeGreaterThanOrEqual(0);
  await service.root.api(`/api/admin/users/${user.id}/credits`, { method: 'POST', body: { quota: 1_000_000_000 } });
  const { checkpoint_id } = end.data;
  const resumed = await service.post(`${path}/resume`, { session_id: 'money', checkpoint_id }, { key });
  expect(resumed.status).toBe(200);
  const reader = follow(() => [service.url], 'money', key);
  await until('it is over', () => reader.told.some(({ event }) => event === 'execution_completed'), 60_000);
  expect(reader.told.map(({ id }) => id)).toEqual(reader.told.map((_, i) => i + 1));
  const { logs } = await user.api<{ logs: { request_id: string; status: string; quota: number }[] }>(
    '/api/usage/logs?page_size=100',
  );
  expect(new Set(logs.map(({ request_id }) => request_id)).size).toBe(logs.length);
  // Calls that were running at the pause were completed and are not paid again.
  for (const task of ['p1', 'p2', 'p3', 'p4']) {
    const paid = logs.filter(({ request_id, status }) => request_id.includes(`task:${task}:`) && status === 'ok');
    expect([task, paid.length]).toEqual([task, 1]);
  }
  const after = await service.self(user);
  expect(after.used_quota).toBe(logs.reduce((sum, { quota }) => sum + quota, 0));
  expect(after.quota).toBe(1_002_200_000 - after.used_quota);
}, 300_000);

test('SIGTERM closes event streams at once, and the run continues after the restart', async () => {
  model.content = false;
  const { key } = service;
  await service.root.api(`/api/admin/users/${service.root.id}/credits`, {
    method: 'POST',
    body: { quota: 100_000_000_000 },
  });
  const started = await service.post(`${path}/execute`, { message: goal, session_id: 'stop' }, { key });
  expect(started.status).toBe(200);
  const reader = follow(() => [service.url], 'stop', key);
  await until('tasks run', () => reader.told.some(({ event }) => event === 'task_completed'));
  // With DRAIN_SECONDS at 300 this would outlast the test if it waited for the readers.
  expect(await service.kill('SIGTERM')).toBe(0);
  const seen = reader.told.length;
  await service.restart();
  await until('it goes on', () => reader.told.length > seen, 60_000);
  model.content = true;
  expect((await reader.done).event).toBe('execution_completed');
  expect(reader.told.map(({ id }) => id)).toEqual(reader.told.map((_, i) => i + 1));
}, 300_000);
