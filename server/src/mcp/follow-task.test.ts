import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { HowToCall } from '../lib/connected-tools.ts';
import { until } from '../lib/until.fixture.ts';
import { openPayingTest, type PayingTest } from '../oauth/paying.fixture.ts';
import { endTask, lastTask, type TaskScript, taskScript } from './front/tasks.fixture.ts';
import { administration, type McpTestServer, startMcp } from './mcp.fixture.ts';

/* Chats and runs wait for what servers go on with, and pay for what comes of it. */

const price = 700;
let t: PayingTest;
let admin: ReturnType<typeof administration>;
let server: McpTestServer;
let script: TaskScript;
let id: number;
let name: string;
let count = 0;

beforeAll(async () => {
  t = await openPayingTest({ ALLOW_PRIVATE_WEBHOOKS: '1' });
  await t.setOption('RateLimitEnabled', false);
  admin = administration(await t.root());
});
afterAll(() => t.close());
beforeEach(async () => {
  script = taskScript();
  server = startMcp(
    [...script.tools, { name: 'slow', answer: () => Bun.sleep(20_000).then(() => 'late') }],
    'modern',
    true,
    script.more,
  );
  name = `task${++count}`;
  ({ id } = await admin.connect(name, server.url));
  const { tools } = await admin.test(id);
  await admin.send('PUT', `/${id}/tools`, {
    tools: tools.map((tool) => ({ name: tool.name, definition: tool.definition, price })),
  });
});
afterEach(async () => {
  await admin.send('DELETE', `/${id}`);
  server.stop();
});

const balance = async (): Promise<number> => {
  const { data } = (await (await t.member.call('/api/user/self')).json()) as { data: { quota: number } };
  return data.quota;
};
const caller = () => ({ userId: t.member.id, keyId: null });
const never = new AbortController().signal;
const call = (tool: string, how: Partial<HowToCall> = {}) =>
  t.app.app.mcp.tools.call(caller(), `${name}__${tool}`, {}, { signal: never, approved: true, ...how });
/** Known to us by its name, by which it can be taken back. */
const begun = () => until('the task was looked at', () => asked('tasks/get').length > 0);
const asked = (method: string) => script.asked.filter((one) => one.method === method);

test('waits for a task to end and returns its result as the result of the call', async () => {
  const before = await balance();
  const running = call('wait');
  await begun();
  await until('it was looked at while it went on', () => asked('tasks/get').length >= 2);
  endTask(script, 'all is done');
  expect(await running).toMatchObject({ text: 'all is done', isError: false, cost: price });
  expect([await balance(), asked('tasks/cancel')]).toEqual([before - price, []]);
});

test('an immediate answer is returned without a task', async () => {
  expect(await call('at_once')).toMatchObject({ text: 'at_once says hello', isError: false });
  expect(script.asked).toEqual([]);
});

describe('a task that fails costs nothing and reports the reason', () => {
  const ended = async (says: TaskScript['says'], tool = 'wait') => {
    const before = await balance();
    script.says = says;
    const outcome = await call(tool);
    expect([outcome.isError, await balance()]).toEqual([true, before]);
    return outcome.text;
  };

  test('if the server fails it, cancels it or sends invalid data', async () => {
    const failed = { status: 'failed', error: { code: -32_000, message: 'the disk is full' } };
    expect(await ended((task) => ({ ...task, ...failed }))).toContain('the disk is full');
    expect(await ended((task) => ({ ...task, status: 'cancelled' }))).toContain('cancelled the call');
    expect(await ended((task) => ({ ...task, taskId: 'another' }))).toContain('does not follow the protocol');
    expect(await ended((task) => ({ ...task, status: 'completed', result: { isError: false } }))).toContain('protocol');
  });

  test('if it asks a question that no one can answer, and is cancelled', async () => {
    expect(await ended(null, 'confirm')).toContain('no one can answer here');
    await until('it is taken back', () => asked('tasks/cancel').length === 1);
  });

  test('if the server no longer knows it after a few polls', async () => {
    expect(
      await ended(({ taskId }) => {
        script.tasks.delete(taskId);
        return undefined;
      }),
    ).toContain('no such task here');
    expect(asked('tasks/get').length).toBeGreaterThanOrEqual(3);
  });

  test('if it takes too long, with or without a task', async () => {
    const before = await balance();
    const called = () => until('it is called', () => server.calls.length > 1);
    for (const [tool, isUnderWay] of [
      ['wait', begun],
      ['slow', called],
    ] as const) {
      const limit = new AbortController();
      const running = call(tool, { tooLong: limit.signal });
      await isUnderWay();
      limit.abort();
      expect(await running).toMatchObject({ isError: true, text: expect.stringContaining('did not respond in time') });
    }
    expect(await balance()).toBe(before);
    await until('the task is taken back', () => asked('tasks/cancel').length === 1);
  });
});

test('a caller who disconnects is charged, and the task is cancelled', async () => {
  const before = await balance();
  const leaving = new AbortController();
  const running = call('wait', { signal: leaving.signal });
  await begun();
  leaving.abort(new Error('gone'));
  await expect(running).rejects.toThrow('gone');
  await until('it is taken back', () => script.tasks.get(lastTask(script))!.status === 'cancelled');
  expect(await balance()).toBe(before - price);
});

test('a process that takes over waits for the same task, which is charged once', async () => {
  const before = await balance();
  const leaving = new AbortController();
  let task = '';
  const goesOn = (named: string) => {
    task = named;
  };
  const running = call('wait', { signal: leaving.signal, handedOver: () => true, goesOn });
  await begun();
  await until('it is named', () => task !== '');
  leaving.abort(new Error('gone'));
  await expect(running).rejects.toThrow('gone');
  expect([await balance(), asked('tasks/cancel'), server.calls.length]).toEqual([before, [], 1]);
  const { tools } = t.app.app.mcp;
  const other = tools.follow({ ...caller(), userId: (await t.user()).id }, `${name}__wait`, task, { signal: never });
  expect(await other).toBeNull();
  expect(await tools.follow(caller(), `${name}__at_once`, task, { signal: never })).toBeNull();
  const following = tools.follow(caller(), `${name}__wait`, task, { signal: never });
  endTask(script, 'done for the next');
  expect(await following).toMatchObject({ text: 'done for the next', cost: price });
  expect([await balance(), server.calls.length]).toEqual([before - price, 1]);
});
