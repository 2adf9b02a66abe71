import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { until } from '../../lib/until.fixture.ts';
import { openPayingTest, type PayingTest } from '../../oauth/paying.fixture.ts';
import { administration, type McpTestServer, startMcp } from '../mcp.fixture.ts';
import {
  aboutTask,
  beginTask,
  newestClient,
  noSuchTask,
  type TaskScript,
  taskMethods,
  taskScript,
} from './tasks.fixture.ts';

/* Whose tasks are, with tokens and keys, and what they cost. */

let t: PayingTest;
let server: McpTestServer;
let script: TaskScript;
let admin: ReturnType<typeof administration>;
let name: string;
let path: string;
let count = 0;
const price = 700;

beforeAll(async () => {
  t = await openPayingTest({ ALLOW_PRIVATE_WEBHOOKS: '1' });
  await t.setOption('RateLimitEnabled', false);
  admin = administration(await t.root());
  script = taskScript();
  const odd = { name: 'odd', answer: () => ({ resultType: 'task', taskId: 5 }) };
  server = startMcp([...script.tools, odd], 'modern', true, script.more);
});
afterAll(async () => {
  server.stop();
  await t.close();
});
beforeEach(async () => {
  name = `t${++count}`;
  path = `/mcp/${name}`;
  const { id } = await admin.connect(name, server.url, { calls_per_minute: 3 });
  const { tools } = await admin.test(id);
  await admin.send('PUT', `/${id}/tools`, {
    tools: tools.map((tool) => ({ name: tool.name, definition: tool.definition, price })),
  });
});

const balance = async (): Promise<number> => {
  const { data } = (await (await t.member.call('/api/user/self')).json()) as { data: { quota: number } };
  return data.quota;
};
const by = (token: string) => newestClient(t.call, token);

test('a task belongs to the application that started it, with any of its tokens', async () => {
  const resource = `${t.config.baseUrl}${path}`;
  const client = await t.payingClient();
  const token = async (of: typeof client) => (await t.mayPay(of, 10 * price, { resource })).access_token;
  const taskId = await beginTask(by(await token(client)), path, 'wait');
  expect((await aboutTask(by(await token(client)), path, 'tasks/get', taskId)).result).toMatchObject({ taskId });
  const asked = script.asked.length;
  for (const other of [await token(await t.payingClient()), await t.member.key()])
    for (const method of taskMethods)
      expect(await aboutTask(by(other), path, method, taskId)).toMatchObject(noSuchTask);
  expect((await aboutTask(by(await token(client)), '/mcp', 'tasks/get', taskId)).status).toBe(401);
  expect(script.asked).toHaveLength(asked);
});

test('a token without access to the tool has no access to its tasks', async () => {
  const resource = `${t.config.baseUrl}${path}`;
  const client = await t.payingClient();
  const token = async (tool: string) => {
    const scope = `openid models:use mcp:${name}:${tool}`;
    return (await t.mayPay(client, 10 * price, { resource, scope })).access_token;
  };
  const taskId = await beginTask(by(await token('wait')), path, 'wait');
  expect((await aboutTask(by(await token('wait')), path, 'tasks/get', taskId)).result).toMatchObject({ taskId });
  expect(await aboutTask(by(await token('confirm')), path, 'tasks/get', taskId)).toMatchObject(noSuchTask);
});

test('a task is charged when the tool is called, not for each poll', async () => {
  const ask = by(await t.member.key());
  const before = await balance();
  const taskId = await beginTask(ask, path, 'wait');
  expect(await balance()).toBe(before - price);
  for (const method of taskMethods) await aboutTask(ask, path, method, taskId);
  const odd = await ask(path, 'tools/call', { name: 'odd', arguments: {} });
  expect(odd.error?.message).toContain('does not follow the protocol');
  const silent = newestClient(t.call, await t.member.key(), false);
  expect((await silent(path, 'tools/call', { name: 'wait', arguments: {} })).error?.code).toBe(-32_603);
  const rowsOf = async () => (await t.usage()).filter(({ model }) => String(model).startsWith(`mcp/${name}/`));
  await until('three calls stand in usage', async () => (await rowsOf()).length >= 3);
  expect((await rowsOf()).map(({ quota, status }) => [quota, status]).toSorted()).toEqual([
    [0, 'error'],
    [0, 'error'],
    [price, 'ok'],
  ]);
  expect(await balance()).toBe(before - price);
});

test('a rate limit counts calls, not polls', async () => {
  const ask = by(await t.member.key());
  const taskId = await beginTask(ask, path, 'wait');
  for (let look = 0; look < 5; look += 1)
    expect((await aboutTask(ask, path, 'tasks/get', taskId)).result).toMatchObject({ taskId });
  await beginTask(ask, path, 'wait');
  await beginTask(ask, path, 'wait');
  const { result } = await ask(path, 'tools/call', { name: 'wait', arguments: {} });
  expect(result).toMatchObject({ isError: true });
  expect((await aboutTask(ask, path, 'tasks/get', taskId)).result).toMatchObject({ taskId });
});
