import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Member } from '../../app.fixture.ts';
import { buildApp } from '../../app.ts';
import { until } from '../../lib/until.fixture.ts';
import { openLog } from '../../platform/log.ts';
import { openPlatform } from '../../platform/open.ts';
import { approvalsOf } from '../mcp.fixture.ts';
import { type FrontTest, openFrontTest } from './front.fixture.ts';
import {
  aboutTask,
  beginTask,
  type Client,
  connectTasks,
  endTask,
  lastTask,
  newestClient,
  noSuchTask,
  placesOf,
  type TaskScript,
  taskMethods,
  tasksExtension,
} from './tasks.fixture.ts';

/* Calls that a server goes on with after it has answered: the extension io.modelcontextprotocol/tasks. */

let f: FrontTest;
let script: TaskScript;
let ask: Client;
let name: string;
let id: number;
beforeAll(async () => {
  f = await openFrontTest();
});
afterAll(() => f.t.close());
beforeEach(async () => {
  ({ script, id, name, ask } = await connectTasks(f));
});
afterEach(() => f.tidy());

test('a task is started, polled and read to its end at both endpoints', async () => {
  for (const [path, before] of placesOf(name)) {
    const { result } = await ask(path, 'tools/call', { name: `${before}wait`, arguments: {} });
    expect(result).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 60_000, pollIntervalMs: 50 });
    const taskId = String(result?.taskId);
    expect(taskId).not.toContain(lastTask(script));
    const working = await ask(path, 'tasks/get', { taskId });
    expect(working.result).toMatchObject({ resultType: 'complete', taskId, status: 'working' });
    endTask(script, `done at ${path}`);
    const { result: done } = await ask(path, 'tasks/get', { taskId });
    expect(done).toMatchObject({ taskId, status: 'completed', result: { content: [{ text: `done at ${path}` }] } });
    expect(JSON.stringify(done)).not.toContain(lastTask(script));
  }
});

test('an immediate answer is returned without a task', async () => {
  const { result } = await ask(`/mcp/${name}`, 'tools/call', { name: 'at_once', arguments: {} });
  expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'at_once says hello' }] });
});

test("a task's question reaches the client, and the answer reaches the task", async () => {
  for (const [path, before] of placesOf(name)) {
    const taskId = await beginTask(ask, path, `${before}confirm`);
    const { result } = await ask(path, 'tasks/get', { taskId });
    expect(result).toMatchObject({
      status: 'input_required',
      inputRequests: { sure: { method: 'elicitation/create' } },
    });
    const inputResponses = { sure: { action: 'accept', content: { ok: true } } };
    const { result: heard } = await ask(path, 'tasks/update', { taskId, inputResponses });
    expect(heard).toMatchObject({ resultType: 'complete' });
    expect(Object.keys(heard!).filter((member) => member !== '_meta')).toEqual(['resultType']);
    const { result: done } = await ask(path, 'tasks/get', { taskId });
    expect(done).toMatchObject({ result: { content: [{ text: JSON.stringify(inputResponses) }] } });
  }
});

test('a cancelled task reports nothing else', async () => {
  for (const [path, before] of placesOf(name)) {
    const taskId = await beginTask(ask, path, `${before}wait`);
    const { result } = await ask(path, 'tasks/cancel', { taskId });
    expect(Object.keys(result!).filter((member) => member !== '_meta')).toEqual(['resultType']);
    expect((await ask(path, 'tasks/get', { taskId })).result).toMatchObject({ status: 'cancelled' });
  }
});

test('a task started at one endpoint is known at the other, and at no other server', async () => {
  const other = await f.connected(f.start(script.tools, 'modern', true, script.more));
  const taskId = await beginTask(ask, '/mcp', `${name}__wait`);
  expect((await ask(`/mcp/${name}`, 'tasks/get', { taskId })).result).toMatchObject({ taskId });
  const asked = script.asked.length;
  for (const method of taskMethods) {
    expect(await aboutTask(ask, `/mcp/${other.name}`, method, taskId)).toMatchObject(noSuchTask);
    expect((await aboutTask(ask, '/mcp/svc', method, taskId)).error?.code).toBe(-32_601);
  }
  expect(script.asked).toHaveLength(asked);
});

describe('clients that support tasks', () => {
  test('are told about tasks only if the server has them', async () => {
    const plain = await f.connected(f.start([{ name: 'echo' }], 'modern'));
    const told = async (by: Client, path: string) =>
      ((await by(path, 'server/discover')).result!.capabilities as { extensions?: object }).extensions;
    for (const [path] of placesOf(name)) expect(await told(ask, path)).toEqual({ [tasksExtension]: {} });
    for (const path of [`/mcp/${plain.name}`, '/mcp/svc']) expect(await told(ask, path)).toBeUndefined();
    for (const [path] of placesOf(name)) expect(await told(newestClient(f.t.call, f.key, false), path)).toBeUndefined();
    const { client } = await f.clientOf(`/mcp/${name}`, 'legacy');
    expect(client.getServerCapabilities()?.extensions).toBeUndefined();
    await f.admin.send('DELETE', `/${id}`);
    f.laterOn();
    expect(await told(ask, '/mcp')).toBeUndefined();
  });

  test('must declare support with each request', async () => {
    const silent = newestClient(f.t.call, f.key, false);
    const requiredCapabilities = { extensions: { [tasksExtension]: {} } };
    for (const [path, before] of placesOf(name)) {
      const taskId = await beginTask(ask, path, `${before}wait`);
      const asked = script.asked.length;
      for (const method of taskMethods)
        expect(await aboutTask(silent, path, method, taskId)).toMatchObject({
          error: { code: -32_021, data: { requiredCapabilities } },
        });
      expect(script.asked).toHaveLength(asked);
      // It answers with a task all the same, which is a fault of the server's.
      const { error } = await silent(path, 'tools/call', { name: `${before}wait`, arguments: {} });
      expect(error).toMatchObject({
        code: -32_603,
        message: expect.stringContaining('does not follow the protocol'),
      });
    }
  });

  test('do not include older clients, which have no task methods and get no task as an answer', async () => {
    const { client } = await f.clientOf(`/mcp/${name}`, 'legacy');
    await expect(client.callTool({ name: 'wait', arguments: {} })).rejects.toMatchObject({ code: -32_603 });
    for (const method of [...taskMethods, 'tasks/result', 'tasks/list']) {
      const before = await f.post(`/mcp/${name}`, { jsonrpc: '2.0', id: 1, method, params: { taskId: 'x' } });
      expect([method, await before.text()]).toEqual([method, expect.stringContaining('-32601')]);
    }
    for (const method of ['tasks/result', 'tasks/list'])
      expect(await ask(`/mcp/${name}`, method, {})).toMatchObject({ status: 404, error: { code: -32_601 } });
  });

  test('include chats and runs, if the server supports tasks', async () => {
    const how = { signal: new AbortController().signal, approved: true };
    const caller = { userId: f.user.id, keyId: null };
    const running = f.t.app.mcp.tools.call(caller, `${name}__wait`, {}, how);
    await until('it has begun', () => script.tasks.size === 1);
    endTask(script, 'in the end');
    expect(await running).toMatchObject({ isError: false, text: 'in the end' });
    const silent = await f.connected(f.start(script.tools, 'modern', true));
    const outcome = await f.t.app.mcp.tools.call(caller, `${silent.name}__wait`, {}, how);
    expect(outcome).toMatchObject({ isError: true, text: expect.stringContaining('does not follow the protocol') });
  });
});

test('a new process continues tasks started before it', async () => {
  const before = await openFrontTest();
  const behind = before.start(script.tools, 'modern', true, script.more);
  ({ name } = await before.connected(behind));
  const first = newestClient(before.t.call, before.key);
  const taskIds = [await beginTask(first, `/mcp/${name}`, 'wait'), await beginTask(first, '/mcp', `${name}__wait`)];
  await before.t.app.stop();
  await before.t.platform.close();
  const { config } = before.t;
  const platform = await openPlatform(config, openLog('silent'), before.clock);
  const after = await buildApp(platform, config);
  const send: Member['call'] = async (path, { method, headers, body } = {}) => {
    const given = { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return after.fetch(new Request(new URL(path, config.baseUrl), given as RequestInit));
  };
  endTask(script, 'done meanwhile');
  for (const [path] of placesOf(name))
    for (const taskId of taskIds)
      expect((await newestClient(send, before.key)(path, 'tasks/get', { taskId })).result).toMatchObject({
        ...{ taskId, status: 'completed' },
        result: { content: [{ text: 'done meanwhile' }] },
      });
  await after.stop();
  await platform.close();
  behind.stop();
  await before.t.close();
});

test('a tool that requires approval starts a task after one approval', async () => {
  const { name: careful } = await f.connected(f.start(script.tools, 'modern', true, script.more), {}, ['wait']);
  const path = `/mcp/${careful}`;
  const call = () => ask(path, 'tools/call', { name: 'wait', arguments: {} });
  expect((await call()).result).toMatchObject({ resultType: 'complete', isError: true });
  expect(script.tasks.size).toBe(0);
  await approvalsOf(f.user).approveFirst();
  const { result } = await call();
  expect(result).toMatchObject({ resultType: 'task' });
  const taskId = result!.taskId;
  for (const method of taskMethods) expect((await aboutTask(ask, path, method, taskId)).error).toBeUndefined();
});

test('a tool with a changed definition starts no new tasks; running ones continue', async () => {
  const [path] = placesOf(name)[0];
  const taskId = await beginTask(ask, path, 'wait');
  script.tools[0]!.description = 'Also deletes everything.';
  f.laterOn();
  const { result } = await ask(path, 'tools/call', { name: 'wait', arguments: {} });
  expect(result).toMatchObject({ resultType: 'complete', isError: true });
  expect(script.tasks.size).toBe(1);
  expect((await ask(path, 'tasks/get', { taskId })).result).toMatchObject({ taskId, status: 'working' });
});

test('each call has a usage row, and polling its task adds none', async () => {
  const logs = async () => {
    const answer = await f.user.call('/api/usage/logs?page_size=100');
    const { data } = (await answer.json()) as { data: { logs: { model: string; status: string }[] } };
    return data.logs.filter(({ model }) => model.startsWith(`mcp/${name}/`));
  };
  const [path] = placesOf(name)[0];
  const taskId = await beginTask(ask, path, 'wait');
  for (const method of taskMethods) await aboutTask(ask, path, method, taskId);
  await ask(path, 'tools/call', { name: 'at_once', arguments: {} });
  await until('both calls stand in usage', async () => (await logs()).length >= 2);
  expect((await logs()).map(({ model, status }) => [model, status]).toSorted()).toEqual([
    [`mcp/${name}/at_once`, 'ok'],
    [`mcp/${name}/wait`, 'ok'],
  ]);
});
