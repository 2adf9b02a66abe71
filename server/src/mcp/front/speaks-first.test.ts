import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { until } from '../../lib/until.fixture.ts';
import type { ScriptedTool } from '../mcp.fixture.ts';
import { echo, type FrontTest, openFrontTest } from './front.fixture.ts';
import { ask, everything, greeter, isQuestion, isResult, named, rawClient, said } from './speaks.fixture.ts';

/* Servers of the 2025 revisions that ask their client something while they work. */

let f: FrontTest;
beforeAll(async () => {
  f = await openFrontTest();
});
afterAll(() => f.t.close());
afterEach(() => f.tidy());

const greeted = async (fields: object = {}) => {
  const server = f.start([{ ...greeter }, echo], 'sessions', false);
  const { id, name } = await f.connected(server, fields);
  return { server, id, name, path: `/mcp/${name}` };
};
const gone = { status: 400, body: expect.stringContaining('There is no such question') };

describe.each([
  ['straight', undefined],
  ['with progress', { progressToken: 'p' }],
] as const)('a call that is passed on %s', (_, _meta) => {
  test("waits for the client's answer, at its own endpoint and the combined one", async () => {
    const { name, path } = await greeted();
    for (const [at, tool] of [
      [path, 'greet'],
      ['/mcp', `${name}__greet`],
    ] as const) {
      const client = await rawClient(f.t, at, f.key);
      const call = await client.call(tool, { message: 'Who?' }, { ...(_meta && { _meta }) });
      const question = await call.find('it is asked', isQuestion);
      expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Who?' } });
      expect(call.messages.some(isResult)).toBe(false);
      expect(await client.answer(question.id, named('Ada'))).toEqual({ status: 202, body: '' });
      expect(await call.find('it is answered', isResult)).toMatchObject(said('Hello, Ada!'));
      await call.ended;
    }
  });
});

test('an error from the client reaches the server as an error', async () => {
  const { path } = await greeted();
  const client = await rawClient(f.t, path, f.key);
  const call = await client.call('greet');
  const { id } = await call.find('it is asked', isQuestion);
  await client.answer(id, { error: { code: -1, message: 'not now' } });
  const { error, result } = await call.find('it is answered', isResult);
  expect(JSON.stringify(error ?? result)).toContain('not now');
});

test('only the asked client can answer a question in its session, once', async () => {
  const { path } = await greeted();
  const client = await rawClient(f.t, path, f.key);
  const call = await client.call('greet');
  const { id } = await call.find('it is asked', isQuestion);
  const name = id as string;
  const stranger = await f.t.user();
  for (const other of [
    await rawClient(f.t, path, await stranger.key()),
    await rawClient(f.t, path, await f.user.key()),
    await rawClient(f.t, path, f.key),
    await rawClient(f.t, path, f.key, {}),
  ])
    expect(await other.answer(name, named('Eve'))).toMatchObject(gone);
  const { sealer } = f.t.app.mcp.room;
  const changed = name.slice(0, -6) + (name.at(-6) === 'A' ? 'B' : 'A') + name.slice(-5);
  for (const forged of [
    changed,
    sealer.seal('["mcp-question"]'),
    sealer.seal('no JSON'),
    '',
    's1.x.y',
    'x'.repeat(9_000),
  ])
    expect(await client.answer(forged, named('Eve'))).toMatchObject(gone);
  for (const [odd, given] of [
    [7, named('Eve')],
    [null, named('Eve')],
    [name, { result: 'Eve' }],
    [name, { error: 'Eve' }],
    [name, { ...named('Eve'), error: { code: 1, message: 'both' } }],
  ] as const)
    expect((await client.answer(odd, given)).status).toBe(400);
  expect(call.messages.some(isResult)).toBe(false);
  const twice = await Promise.all([client.answer(name, named('Ada')), client.answer(name, named('Ada'))]);
  expect(twice.map(({ status }) => status).toSorted()).toEqual([202, 400]);
  expect(await call.find('it is answered', isResult)).toMatchObject(said('Hello, Ada!'));
  expect(await client.answer(name, named('Eve'))).toMatchObject(gone);
});

test('an answer that could not be delivered to the server can be sent again', async () => {
  const told: unknown[] = [];
  const answered = Promise.withResolvers<void>();
  const event = (message: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
  const server = f.startRaw(({ method, id, result }) => {
    if (method === 'tools/list')
      return Response.json(result({ tools: [{ ...echo, inputSchema: { type: 'object' } }] }));
    if (method === 'tools/call')
      return new Response(
        new ReadableStream<string>({
          start: async (stream) => {
            stream.enqueue(event({ id: 'q', method: 'roots/list' }));
            await answered.promise;
            stream.enqueue(event({ id, result: { content: [{ type: 'text', text: 'thanks' }] } }));
            stream.close();
          },
        }).pipeThrough(new TextEncoderStream()),
        { headers: { 'content-type': 'text/event-stream' } },
      );
    told.push(id);
    if (told.length > 1) answered.resolve();
    return new Response(null, { status: told.length > 1 ? 202 : 500 });
  });
  const { name } = await f.connected(server);
  const client = await rawClient(f.t, `/mcp/${name}`, f.key);
  const call = await client.call('echo');
  const { id } = await call.find('it is asked', isQuestion);
  const statuses = [];
  for (let count = 0; count < 3; count += 1) statuses.push((await client.answer(id, { result: { roots: [] } })).status);
  expect(statuses).toEqual([502, 202, 400]);
  expect(told).toEqual(['q', 'q']);
  expect(await call.find('it is answered', isResult)).toMatchObject(said('thanks'));
});

test('two clients asked at the same time each receive their own answer', async () => {
  const { path, server } = await greeted();
  const clients = [await rawClient(f.t, path, f.key), await rawClient(f.t, path, await f.user.key())];
  const calls = await Promise.all(clients.map((client) => client.call('greet')));
  const questions = await Promise.all(calls.map((call) => call.find('it is asked', isQuestion)));
  await Promise.all(clients.map((client, at) => client.answer(questions[at]!.id, named(`number ${at}`))));
  for (const [at, call] of calls.entries())
    expect(await call.find('it is answered', isResult)).toMatchObject(said(`Hello, number ${at}!`));
  expect(server.calls.filter(({ name }) => name === 'greet')).toHaveLength(2);
});

test('servers learn what each client can be asked, and ask nothing else', async () => {
  const { id: serverId, path, server } = await greeted();
  const wants: Record<string, string> = { roots: 'roots/list', sampling: 'sampling/createMessage' };
  server.tools.push(
    ...Object.entries(wants).map(
      ([name, method]): ScriptedTool => ({
        name,
        answer: (_, context) =>
          ask(context, method, { messages: [], maxTokens: 1 }).then(
            () => 'asked',
            (error: Error) => `not asked: ${error.message}`,
          ),
      }),
    ),
  );
  await f.admin.allow(serverId);
  const able = await rawClient(f.t, path, f.key, { roots: { listChanged: true } });
  const asked = await able.call('roots');
  const { id, method } = await asked.find('it is asked', isQuestion);
  expect(method).toBe('roots/list');
  await able.answer(id, { result: { roots: [] } });
  expect(await asked.find('it is answered', isResult)).toMatchObject(said('asked'));
  for (const client of [able, await rawClient(f.t, path, f.key, {})]) {
    const call = await client.call('sampling');
    const { result, error } = await call.find('it is answered', isResult);
    expect(JSON.stringify(result ?? error)).toMatch(/not asked|sampling/);
    expect(call.messages.filter(isQuestion)).toEqual([]);
  }
});

test('a server that asks a thousand questions is refused most of them, and its call fails', async () => {
  const refused: string[] = [];
  const curious: ScriptedTool = {
    name: 'curious',
    answer: async (_, context) => {
      const one = () => ask(context, 'roots/list').catch((error: Error) => void refused.push(error.message));
      await Promise.all(Array.from({ length: 1_000 }, one));
      return 'all of it';
    },
  };
  const { name } = await f.connected(f.start([curious, echo], 'sessions', false));
  const client = await rawClient(f.t, `/mcp/${name}`, f.key);
  const call = await client.call('curious');
  expect(await call.find('it is over', isResult)).toMatchObject({
    error: { message: expect.stringContaining('it asked too many questions') },
  });
  const questions = call.messages.filter(isQuestion);
  expect(questions).toHaveLength(16);
  await until('the rest is refused', () => refused.length >= 84);
  // Nobody waits for them any more, and the client can be asked anew.
  expect(await client.answer(questions[0]!.id, { result: { roots: [] } })).toMatchObject(gone);
  expect(await (await client.call('echo', { text: 'x' })).find('it is answered', isResult)).toMatchObject(
    said('you said x'),
  );
});

test('a client that leaves while being asked cancels its call, and its answer is too late', async () => {
  let stopped = 0;
  const waiting: ScriptedTool = {
    name: 'greet',
    answer: (args, context) => {
      context.mcpReq.signal.addEventListener('abort', () => {
        stopped += 1;
      });
      return greeter.answer!(args, context);
    },
  };
  const { name } = await f.connected(f.start([waiting], 'sessions', false));
  const client = await rawClient(f.t, `/mcp/${name}`, f.key);
  const leaving = new AbortController();
  const call = await client.call('greet', {}, { signal: leaving.signal });
  const { id } = await call.find('it is asked', isQuestion);
  leaving.abort();
  await until('the server hears of it', () => stopped === 1);
  await until('nobody waits', async () => (await client.answer(id, named('Ada'))).status === 400);
});

test('a server can withdraw a question', async () => {
  const hasty: ScriptedTool = {
    name: 'hasty',
    answer: (_, context) =>
      ask(context, 'roots/list', {}, { timeout: 200 }).then(
        () => 'answered',
        () => 'never mind',
      ),
  };
  const { name } = await f.connected(f.start([hasty], 'sessions', false));
  const client = await rawClient(f.t, `/mcp/${name}`, f.key);
  const call = await client.call('hasty');
  const { id } = await call.find('it is asked', isQuestion);
  const back = await call.find('it is taken back', ({ method }) => method === 'notifications/cancelled');
  expect(back.params).toEqual({ requestId: id });
  expect(await client.answer(id, { result: { roots: [] } })).toMatchObject(gone);
  expect(await call.find('it is answered', isResult)).toMatchObject(said('never mind'));
});

test('the timeout pauses while a person is asked, and resumes afterwards', async () => {
  const { path, server } = await greeted({ timeout_ms: 1_000 });
  const client = await rawClient(f.t, path, f.key);
  const call = await client.call('greet');
  const { id } = await call.find('it is asked', isQuestion);
  // Longer than the server has, and than an answer may be quiet.
  await Bun.sleep(2_500);
  expect((await client.answer(id, named('Ada'))).status).toBe(202);
  expect(await call.find('it is answered', isResult)).toMatchObject(said('Hello, Ada!'));
  server.tools[0]!.answer = async (args, context) => {
    await greeter.answer!(args, context);
    await Bun.sleep(60_000);
    return 'too late';
  };
  const slow = await client.call('greet');
  await client.answer((await slow.find('it is asked', isQuestion)).id, named('Ada'));
  expect(await slow.find('it is given up', isResult)).toMatchObject({
    error: { message: expect.stringContaining('it did not respond in time') },
  });
});

test('questions reveal no secret, and a call is counted once regardless of questions', async () => {
  const secret = 'a-secret-of-ours';
  const { name, path } = await greeted({ headers: { 'x-key': secret } });
  const client = await rawClient(f.t, path, f.key);
  const call = await client.call('greet', { message: `psst: ${secret}` });
  const question = await call.find('it is asked', isQuestion);
  expect(question.params).toMatchObject({ message: 'psst: [redacted]' });
  await client.answer(question.id, named('Ada'));
  await call.ended;
  const logs = async () => {
    const answer = await f.user.call('/api/usage/logs?page_size=100');
    return ((await answer.text()).match(new RegExp(`mcp/${name}/greet`, 'g')) ?? []).length;
  };
  await until('it stands in usage', async () => (await logs()) > 0);
  expect(await logs()).toBe(1);
});

test('the next process continues an upstream session, and questions of another process have ended', async () => {
  const { path, server } = await greeted();
  const client = await rawClient(f.t, path, f.key, everything);
  const call = await client.call('greet');
  const { id } = await call.find('it is asked', isQuestion);
  // As if the process had gone: whoever is told of the answer opens the session that was kept.
  const opened = server.opened;
  await f.t.app.mcp.stop();
  expect((await client.answer(id, named('Ada'))).status).toBe(202);
  expect(await call.find('it is answered', isResult)).toMatchObject(said('Hello, Ada!'));
  expect(server.opened).toBe(opened);
  const again = await client.call('greet');
  const late = await again.find('it is asked', isQuestion);
  server.sessions.clear();
  expect(await client.answer(late.id, named('Ada'))).toMatchObject(gone);
});
