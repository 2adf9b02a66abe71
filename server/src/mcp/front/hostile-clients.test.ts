import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../../lib/until.fixture.ts';
import type { McpTestServer, ScriptedTool } from '../mcp.fixture.ts';
import { echo, type FrontTest, openFrontTest } from './front.fixture.ts';
import { greeter, isQuestion, isResult, named, type RawClient, rawClient, said } from './speaks.fixture.ts';

/* Clients that write what no client should, name what is not theirs, open more than anybody needs, and read nothing. */

let f: FrontTest;
let server: McpTestServer;
let name: string;
let client: RawClient;
let release = Promise.withResolvers<void>();

/** Works until the test lets it end; logs more than anybody should have to keep, where it is told to. */
const slow: ScriptedTool = { name: 'slow', answer: () => release.promise.then(() => 'at last') };
const loud: ScriptedTool = {
  name: 'loud',
  answer: async (_, { mcpReq }) => {
    for (let count = 0; count < 9; count += 1) await mcpReq.log('info', 'x'.repeat(100_000));
    return 'said';
  },
};

beforeAll(async () => {
  f = await openFrontTest();
  const logging = { capabilities: { logging: {} }, set: () => {} };
  server = f.start([echo, slow, loud, greeter], 'sessions', false, logging);
  ({ name } = await f.connected(server));
  client = await rawClient(f.t, `/mcp/${name}`, f.key);
});
afterAll(async () => {
  await f.tidy();
  await f.t.close();
});

const own = 'io.modelcontextprotocol/';
const newestMeta = { [`${own}protocolVersion`]: '2026-07-28', [`${own}clientCapabilities`]: {} };
const newest = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' };
const earlier = { 'mcp-protocol-version': '2025-11-25' };
/** The one revision that has several messages in one request. */
const batches = { 'mcp-protocol-version': '2025-03-26' };
const accept = 'application/json, text/event-stream';
const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' });
const asks = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 1, method, params });
const beginning = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
const begins = asks('initialize', beginning);
const proto = JSON.parse('{"__proto__":{"name":"slow","polluted":true}}');

type Sent = [headers: Record<string, string>, message: unknown];
/** What is sent where the tool has this name, and what is answered: the status, and the protocol's code. */
const odd: Record<string, [sent: (tool: string) => Sent, status: number, code: number]> = {};
const call = (tool: string, more: object = {}, id: unknown = 1) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name: tool, arguments: { text: 'x' }, ...more },
});
for (const id of [null, 1.5, 1e308, 2 ** 60, true, {}, []]) {
  odd[`the id ${JSON.stringify(id)}`] = [(tool) => [earlier, call(tool, {}, id)], 400, -32_600];
  const named = (tool: string): Sent => [{ ...newest, 'mcp-name': tool }, call(tool, { _meta: newestMeta }, id)];
  odd[`the id ${JSON.stringify(id)} in the newest revision`] = [named, 400, -32_600];
}
const wrong = { protocolVersion: 5, capabilities: 'all', clientInfo: { name: 'test' } };
for (const params of [undefined, {}, ...Object.entries(wrong).map(([name, one]) => ({ ...beginning, [name]: one }))])
  odd[`a beginning with ${JSON.stringify(params)}`] = [() => [{}, asks('initialize', params)], 200, -32_602];
Object.assign(odd, {
  'two requests of one id': [(tool) => [batches, [call(tool), asks('tools/list', {})]], 400, -32_600],
  'nothing, several times': [() => [batches, []], 400, -32_600],
  'more at once than anybody waits for': [
    () => [batches, Array.from({ length: 11 }, (_, at) => ping(at))],
    400,
    -32_600,
  ],
  'several in several': [() => [batches, [[ping(1)]]], 400, -32_600],
  'several where they are no more': [() => [earlier, [ping(1), ping(2)]], 400, -32_600],
  'one that is written as several': [(tool) => [{ 'mcp-protocol-version': '2025-06-18' }, [call(tool)]], 400, -32_600],
  'several in the newest revision': [(tool) => [newest, [call(tool, { _meta: newestMeta })]], 400, -32_600],
  'two beginnings': [() => [{}, [begins, { ...begins, id: 2 }]], 400, -32_600],
  'a beginning with a call': [(tool) => [{}, [begins, call(tool, {}, 2)]], 400, -32_600],
  'a revision that never was': [(tool) => [{ 'mcp-protocol-version': '1999-01-01' }, call(tool)], 400, -32_000],
  'two revisions': [(tool) => [{ 'mcp-protocol-version': '2025-11-25, 2026-07-28' }, call(tool)], 400, -32_000],
  'the newest revision in the body alone': [(tool) => [earlier, call(tool, { _meta: newestMeta })], 400, -32_020],
  'the newest revision in a header alone': [(tool) => [{ ...newest, 'mcp-name': tool }, call(tool)], 400, -32_602],
  'another method in a header': [
    (tool) => [{ ...newest, 'mcp-method': 'tools/list', 'mcp-name': tool }, call(tool, { _meta: newestMeta })],
    400,
    -32_020,
  ],
  'another tool in a header': [
    (tool) => [{ ...newest, 'mcp-name': 'slow' }, call(tool, { _meta: newestMeta })],
    400,
    -32_020,
  ],
  'no tool in a header': [(tool) => [newest, call(tool, { _meta: newestMeta })], 400, -32_020],
  'a session of no form': [(tool) => [{ ...earlier, 'mcp-session-id': '../1 key:2' }, call(tool)], 404, -32_000],
  'a cursor': [() => [earlier, asks('tools/list', { cursor: 'made-up' })], 200, -32_602],
  'a token of progress that is none': [(tool) => [earlier, call(tool, { _meta: { progressToken: {} } })], 400, -32_600],
  'params that are none': [() => [earlier, asks('tools/call', ['echo'])], 400, -32_600],
  'arguments that are none': [(tool) => [earlier, call(tool, { arguments: [1] })], 200, -32_602],
  'members of all objects': [(tool) => [earlier, { ...call(tool), params: proto }], 200, -32_602],
  'a method of all objects': [() => [earlier, asks('__proto__', {})], 200, -32_601],
  'another method of all objects': [() => [earlier, asks('constructor', {})], 200, -32_601],
  'an answer that nobody waits for': [() => [earlier, { jsonrpc: '2.0', id: 'x', result: {} }], 400, -32_600],
  'an answer to a number': [() => [earlier, { jsonrpc: '2.0', id: 7, result: {} }], 400, -32_600],
  'an answer that asks': [() => [earlier, { ...asks('tools/list', {}), result: {} }], 400, -32_600],
  'a task in a session': [() => [earlier, asks('tasks/get', { taskId: 'x' })], 200, -32_601],
  'a beginning in the newest revision': [
    () => [{ ...newest, 'mcp-method': 'initialize' }, asks('initialize', { _meta: newestMeta })],
    404,
    -32_601,
  ],
  listening: [
    () => [{ ...newest, 'mcp-method': 'subscriptions/listen' }, asks('subscriptions/listen', {})],
    404,
    -32_601,
  ],
  'a page of others': [(tool) => [{ ...earlier, origin: 'https://evil.example' }, call(tool)], 403, -32_000],
  'a page of nowhere': [(tool) => [{ ...earlier, origin: 'null' }, call(tool)], 403, -32_000],
  'a page that had its name lead here': [
    (tool) => [{ ...earlier, origin: 'http://rebound.example', host: 'rebound.example' }, call(tool)],
    403,
    -32_000,
  ],
  'nothing to answer with': [(tool) => [{ ...earlier, accept: 'text/html' }, call(tool)], 406, -32_000],
} satisfies typeof odd);

test.each(Object.keys(odd))('%s is rejected with a protocol error, and no tool is called', async (what) => {
  const [sent, status, code] = odd[what]!;
  const calls = server.calls.length;
  for (const [path, tool] of [
    [`/mcp/${name}`, 'echo'],
    ['/mcp', `${name}__echo`],
  ] as const) {
    const [headers, message] = sent(tool);
    const answer = await f.post(path, message, headers);
    const [, text] = /(\{"jsonrpc".*\}|\{.*"jsonrpc".*\})/.exec(await answer.text())!;
    expect([path, answer.status, JSON.parse(text!)]).toMatchObject([path, status, { error: { code } }]);
  }
  // Whatever was sent on in spite of it has come by the time that this one is answered.
  await (await client.call('echo', { text: 'last' })).find('it is answered', isResult);
  expect(server.calls.length - calls).toBe(1);
});

test('long, empty and duplicate ids are answered unchanged', async () => {
  release = Promise.withResolvers();
  const ids = ['', 'x'.repeat(100_000), 0, 'same', 'same', '7', 7];
  const calls = server.calls.length;
  const answers = ids.map((id) => client.post(call('slow', {}, id)));
  await until('all of them work', () => server.calls.length === calls + ids.length);
  release.resolve();
  for (const [at, heard] of (await Promise.all(answers)).entries())
    expect(await heard.find('it is answered', isResult)).toMatchObject({ id: ids[at], ...said('at last') });
});

test("using another client's session id cancels, answers and receives nothing", async () => {
  release = Promise.withResolvers();
  const key = await (await f.t.user()).key();
  const calls = server.calls.length;
  const working = client.post(call('slow', {}, 'mine'));
  await until('it works', () => server.calls.length > calls);
  const asked = await client.call('greet');
  const question = await asked.find('it is asked', isQuestion);
  const opened = server.opened;
  const stolen = { authorization: `Bearer ${key}`, 'mcp-session-id': client.session, ...earlier };
  const takenBack = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'mine' } };
  expect((await f.post(`/mcp/${name}`, takenBack, stolen)).status).toBe(202);
  expect((await f.post(`/mcp/${name}`, { jsonrpc: '2.0', id: question.id, ...named('Eve') }, stolen)).status).toBe(400);
  expect(await (await f.post(`/mcp/${name}`, call('echo'), stolen)).text()).toContain('you said x');
  expect(server.opened).toBe(opened + 1);
  const ended = await f.t.call(`/mcp/${name}`, { method: 'DELETE', headers: stolen });
  expect(ended.status).toBe(204);
  await client.answer(question.id, named('Ada'));
  expect(await asked.find('it is answered', isResult)).toMatchObject(said('Hello, Ada!'));
  release.resolve();
  expect(await (await working).find('it is answered', isResult)).toMatchObject(said('at last'));
});

test('log messages of one call are bounded', async () => {
  release = Promise.withResolvers();
  const calls = server.calls.length;
  const unread = f.t.call(`/mcp/${name}`, {
    method: 'POST',
    body: call('slow'),
    headers: { ...{ authorization: `Bearer ${f.key}`, 'mcp-session-id': client.session }, ...earlier, accept },
  });
  await until('it works', () => server.calls.length > calls);
  for (let count = 0; count < 4; count += 1) await (await client.call('loud')).find('it is answered', isResult);
  release.resolve();
  const { length } = await (await unread).text();
  expect(length).toBeGreaterThan(500_000);
  expect(length).toBeLessThan(1_200_000);
});
test("a user's oldest sessions end when they open too many, without ending those of others", async () => {
  const { db } = f.t.platform.database;
  const [{ id: serverId }] = (await f.admin.send<{ servers: [{ id: number }] }>('GET', '')).servers;
  const kept = 2_048;
  const session = (userId: number, at: number) => `${userId} key:0 ${String(at).padStart(32, '0')}`;
  const stored = (userId: number) => (_: unknown, at: number) => ({
    ...{ server_id: serverId, opened_with: 'something else', session: 'nothing' },
    ...{ holder: session(userId, at), used_at: at },
  });
  for (const userId of [f.user.id, f.user.id * 10])
    await db
      .insertInto('mcp_sessions')
      .values(Array.from({ length: kept }, stored(userId)))
      .execute();
  const left = async (userId: number) =>
    (await db.selectFrom('mcp_sessions').select('holder').where('holder', 'like', `${userId} key:0 %`).execute()).map(
      ({ holder }) => holder,
    );
  for (let count = 0; count < 50; count += 1) await (await f.post(`/mcp/${name}`, begins)).text();
  await until('the oldest are ended', async () => (await left(f.user.id)).length <= kept - 50);
  expect(await left(f.user.id)).not.toContain(session(f.user.id, 0));
  expect(await left(f.user.id)).toContain(session(f.user.id, kept - 1));
  expect(await left(f.user.id * 10)).toHaveLength(kept);
});
