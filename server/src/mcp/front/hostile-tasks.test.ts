import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type FrontTest, openFrontTest } from './front.fixture.ts';
import {
  aboutTask,
  beginTask,
  type Client,
  connectTasks,
  lastTask,
  newestClient,
  noSuchTask,
  placesOf,
  type TaskScript,
  taskMethods,
} from './tasks.fixture.ts';

/* Tasks of others, tasks that nobody began, and servers that say of a task what they should not. */

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

test('a task id works only for its caller: other users, keys and altered ids find nothing', async () => {
  const stranger = await f.t.user();
  const [path] = placesOf(name)[0];
  const taskId = await beginTask(ask, path, 'wait');
  const asked = script.asked.length;
  const changed = taskId.slice(0, -6) + (taskId.at(-6) === 'A' ? 'B' : 'A') + taskId.slice(-5);
  const sealer = (text: string): string => f.t.app.mcp.room.sealer.seal(text);
  const forged = [
    lastTask(script),
    changed,
    sealer('["mcp-task"]'),
    sealer('not JSON'),
    's1.x.y',
    '',
    7,
    null,
    'x'.repeat(11_000),
  ];
  for (const at of placesOf(name).map(([one]) => one))
    for (const method of taskMethods) {
      for (const key of [await stranger.key(), await f.user.key()])
        expect(await aboutTask(newestClient(f.t.call, key), at, method, taskId)).toMatchObject(noSuchTask);
      for (const given of forged)
        expect([given, await aboutTask(ask, at, method, given)]).toMatchObject([given, noSuchTask]);
    }
  expect(script.asked).toHaveLength(asked);
  expect((await ask(path, 'tasks/get', { taskId })).result).toMatchObject({ status: 'working' });
});

test("a task ends when its caller loses the tool or the server's address changes", async () => {
  const [path] = placesOf(name)[0];
  const taskId = await beginTask(ask, path, 'wait');
  await f.admin.allow(id, ['confirm']);
  for (const [at] of placesOf(name)) expect(await ask(at, 'tasks/get', { taskId })).toMatchObject(noSuchTask);
  await f.admin.allow(id);
  for (const [at] of placesOf(name)) expect((await ask(at, 'tasks/get', { taskId })).result).toMatchObject({ taskId });
  const moved = f.start(script.tools, 'modern', true, script.more);
  await f.admin.send('PUT', `/${id}`, { url: moved.url });
  for (const [at] of placesOf(name)) expect(await ask(at, 'tasks/get', { taskId })).toMatchObject(noSuchTask);
});

describe('a server that sends invalid data', () => {
  const nonsense = { code: -32_603, message: expect.stringContaining('its response does not follow the protocol') };

  test('in response to a call starts no task', async () => {
    const at = new Date().toISOString();
    const task = { resultType: 'task', taskId: 't', status: 'working', createdAt: at, lastUpdatedAt: at, ttlMs: null };
    const bad = [
      { ...task, taskId: undefined },
      { ...task, taskId: '' },
      { ...task, taskId: 'x'.repeat(1_025) },
      { ...task, status: 'dreaming' },
      { ...task, ttlMs: 'long' },
      { ...task, createdAt: 5 },
    ];
    let answer: object = task;
    const { name: odd } = await f.connected(f.start([{ name: 'odd', answer: () => answer }], 'modern'));
    expect(await beginTask(ask, `/mcp/${odd}`, 'odd')).toBeString();
    // The longest that is taken, in the characters that take the most: its name is still one, and the server is asked.
    answer = { ...task, taskId: '\u0001'.repeat(1_024) };
    const taskId = await beginTask(ask, `/mcp/${odd}`, 'odd');
    // It has no such method, and says so in its own words: ours would name the method.
    const { error } = await ask(`/mcp/${odd}`, 'tasks/get', { taskId });
    expect(error).toMatchObject({ code: -32_601, message: 'Method not found' });
    for (answer of bad)
      expect((await ask(`/mcp/${odd}`, 'tools/call', { name: 'odd', arguments: {} })).error).toMatchObject(nonsense);
  });

  test('about a task is not passed on, and the task can still be read', async () => {
    for (const [path, before] of placesOf(name)) {
      const taskId = await beginTask(ask, path, `${before}wait`);
      for (const says of [
        () => ({}),
        (task: object) => ({ ...task, taskId: 'another' }),
        (task: object) => ({ ...task, status: 'completed' }),
        (task: object) => ({ ...task, status: 'failed', error: 'words' }),
        (task: object) => ({ ...task, status: 'input_required', inputRequests: [] }),
        (task: object) => ({ ...task, status: 'lost' }),
      ]) {
        script.says = says;
        expect((await ask(path, 'tasks/get', { taskId })).error).toMatchObject(nonsense);
      }
      script.says = (task) => ({ ...task, status: 'completed', result: { content: ['x'.repeat(2 * 1024 * 1024)] } });
      expect((await ask(path, 'tasks/get', { taskId })).error?.message).toContain('larger than 1 MiB');
      script.says = null;
      expect((await ask(path, 'tasks/get', { taskId })).result).toMatchObject({ status: 'working' });
    }
  });

  test("a server's own message about a forgotten task is passed on", async () => {
    const [path] = placesOf(name)[0];
    const taskId = await beginTask(ask, path, 'wait');
    script.tasks.clear();
    for (const method of taskMethods)
      expect((await aboutTask(ask, path, method, taskId)).error).toMatchObject({
        code: -32_602,
        message: 'no such task here',
      });
  });
});
