import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { until } from '../../lib/until.fixture.ts';
import type { ScriptedTool } from '../mcp.fixture.ts';
import { accepted, askableClient, curious, endless, rowsOf } from './between.fixture.ts';
import { echo, type FrontTest, openFrontTest } from './front.fixture.ts';
import { isQuestion, isResult, named, rawClient, said } from './speaks.fixture.ts';

/* Clients of 2025 before servers of 2026-07-28 that need to know something before they answer. */

let f: FrontTest;
beforeAll(async () => {
  f = await openFrontTest();
});
afterAll(() => f.t.close());
afterEach(() => f.tidy());

const begun = async (...tools: ScriptedTool[]) => {
  const server = f.start(tools, 'modern');
  const { name } = await f.connected(server);
  return { server, name, path: `/mcp/${name}` };
};

test('a client is asked in rounds until the server is satisfied, as one call', async () => {
  const { server, name, path } = await begun(curious);
  const asked: string[] = [];
  const says = (message: string) => {
    asked.push(message);
    return accepted({ 'First?': 'Ada', 'Last?': 'Lovelace', 'Title?': 'Countess' }[message]!);
  };
  for (const [at, tool] of [
    [path, 'curious'],
    ['/mcp', `${name}__curious`],
  ] as const) {
    const client = await askableClient([f.t], { path: at, key: f.key, mode: 'legacy' }, says);
    const { content } = await client.callTool({ name: tool, arguments: {} });
    expect(content).toEqual([{ type: 'text', text: 'Countess Ada Lovelace (begun)' }]);
    expect(asked.splice(0).toSorted()).toEqual(['First?', 'Last?', 'Title?']);
    await client.close();
  }
  expect(server.calls).toHaveLength(6);
  await until('both stand in usage', async () => (await rowsOf(f.user, `${name}/curious`)) >= 2);
  expect(await rowsOf(f.user, `${name}/curious`)).toBe(2);
});

test('an answer counts once, and only from the client that was asked', async () => {
  const { path } = await begun(curious);
  const client = await rawClient(f.t, path, f.key);
  const call = await client.call('curious');
  await until('it is asked twice', () => call.messages.filter(isQuestion).length === 2);
  const [first, last] = call.messages.filter(isQuestion);
  const others = [
    await rawClient(f.t, path, await (await f.t.user()).key()),
    await rawClient(f.t, path, await f.user.key()),
    await rawClient(f.t, path, f.key),
  ];
  for (const other of others) expect((await other.answer(first!.id, named('Eve'))).status).toBe(400);
  const answers = [await client.answer(first!.id, named('Ada')), await client.answer(first!.id, named('Eve'))];
  expect(answers.map(({ status }) => status)).toEqual([202, 400]);
  await client.answer(last!.id, named('Lovelace'));
  await until('it is asked once more', () => call.messages.filter(isQuestion).length === 3);
  const { id } = call.messages.filter(isQuestion)[2]!;
  await client.answer(id, named('Countess'));
  expect(await call.find('it is answered', isResult)).toMatchObject(said('Countess Ada Lovelace (begun)'));
});

test('an answer that is too large is rejected and can be sent again', async () => {
  const { path } = await begun(curious);
  const client = await rawClient(f.t, path, f.key);
  const call = await client.call('curious');
  const { id } = await call.find('it is asked', isQuestion);
  expect((await client.answer(id, named('x'.repeat(1024 * 1024)))).status).toBe(413);
  expect((await client.answer(id, named('Ada'))).status).toBe(202);
  await client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  await call.ended;
});

test('a server that keeps asking is stopped, and an empty round calls the tool again', async () => {
  const { server, path } = await begun(endless, {
    name: 'patient',
    answer: (_, { mcpReq }) =>
      mcpReq.requestState() === 'later' ? 'now' : { resultType: 'input_required', requestState: 'later' },
  });
  const client = await askableClient([f.t], { path, key: f.key, mode: 'legacy' }, () => accepted('x'));
  await expect(client.callTool({ name: 'endless', arguments: {} })).rejects.toThrow('it asked too many questions');
  expect(server.calls).toHaveLength(11);
  expect((await client.callTool({ name: 'patient', arguments: {} })).content).toEqual([{ type: 'text', text: 'now' }]);
  await client.close();
});

test('a call fails if the client answers with an error or cannot answer the question', async () => {
  const nosy: ScriptedTool = {
    name: 'nosy',
    answer: () => ({
      resultType: 'input_required',
      inputRequests: {
        page: { method: 'elicitation/create', params: { mode: 'url', message: 'Go', url: 'https://x' } },
      },
    }),
  };
  const raw: ScriptedTool = { name: 'odd', answer: () => ({ resultType: 'input_required', inputRequests: ['x'] }) };
  const { path } = await begun(curious, nosy, raw, echo);
  const client = await rawClient(f.t, path, f.key, { elicitation: { form: {} } });
  const call = await client.call('curious');
  const { id } = await call.find('it is asked', isQuestion);
  expect((await client.answer(id, { error: { code: -1, message: 'not now' } })).status).toBe(202);
  expect((await call.find('it failed', isResult)).error?.message).toContain('not now');
  for (const tool of ['nosy', 'odd']) {
    const refused = await client.call(tool);
    expect((await refused.find('it failed', isResult)).error).toBeDefined();
    expect(refused.messages.filter(isQuestion)).toEqual([]);
  }
});

test('a client that cancels its call while being asked is not asked again', async () => {
  const { server, path } = await begun(curious);
  const client = await rawClient(f.t, path, f.key);
  const call = await client.call('curious');
  await until('it is asked twice', () => call.messages.filter(isQuestion).length === 2);
  await client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  await call.ended;
  for (const { id } of call.messages.filter(isQuestion))
    expect((await client.answer(id, named('Ada'))).status).toBe(400);
  expect(server.calls).toHaveLength(1);
});
