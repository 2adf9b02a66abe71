import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { administration, approvalsOf } from '../mcp.fixture.ts';
import { type FrontTest, openFrontTest } from './front.fixture.ts';

/* What somebody approved for one place is not called at another. */

let f: FrontTest;
beforeAll(async () => {
  f = await openFrontTest();
});
afterAll(() => f.t.close());
afterEach(() => f.tidy());

test('approvals end when a server moves to another origin, and stay when anything else changes', async () => {
  const pay = { name: 'pay', answer: () => 'paid' };
  const [here, there] = [f.start([pay]), f.start([pay])];
  const { id, name } = await f.connected(here, {}, ['pay']);
  const { client } = await f.clientOf(`/mcp/${name}`);
  const call = async () => JSON.stringify((await client.callTool({ name: 'pay', arguments: { to: 'Ada' } })).content);
  const admin = administration(await f.t.root());
  const { waiting, answer } = approvalsOf(f.user);
  const approve = async () => {
    expect(await call()).toContain('approval');
    expect((await answer((await waiting())[0]!.id)).status).toBe(200);
  };
  await approve();
  await admin.send('PUT', `/${id}`, { url: there.url });
  expect(await waiting()).toEqual([]);
  await approve();
  await admin.send('PUT', `/${id}`, { timeout_ms: 5_000, url: `${there.url}?a=1` });
  expect(await call()).toContain('paid');
  expect([here.calls.length, there.calls.length]).toEqual([0, 1]);
});
