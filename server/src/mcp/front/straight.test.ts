import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { until } from '../../lib/until.fixture.ts';
import type { ScriptedTool } from '../mcp.fixture.ts';
import { echo, type FrontTest, openFrontTest } from './front.fixture.ts';

/* Calls that go past the library: nobody must be able to tell. */

let f: FrontTest;
beforeAll(async () => {
  f = await openFrontTest();
});
afterAll(() => f.t.close());
afterEach(() => f.tidy());

async function session(path: string): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const begun = await f.post(path, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await begun.text();
  return { 'mcp-session-id': begun.headers.get('mcp-session-id')! };
}
const callOf = (name: unknown, given: unknown = {}, id: unknown = 1) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } },
});
const version = { 'mcp-protocol-version': '2025-06-18' };
/** The message that answers, however it is written. */
const messageIn = (text: string): unknown => JSON.parse(/^data: (.*"id".*)$/m.exec(text)?.[1] ?? text);

test("answers and errors are the same as the library's", async () => {
  const failing: ScriptedTool = { name: 'failing', answer: () => ({ content: [], isError: true, extra: [null, 1] }) };
  const refusing: ScriptedTool = {
    name: 'refusing',
    answer: () => {
      throw Object.assign(new Error('not so'), { code: -32_050, data: { why: 'because' } });
    },
  };
  const { name } = await f.connected(f.start([echo, failing, refusing]));
  for (const path of [`/mcp/${name}`, '/mcp']) {
    const headers = await session(path);
    const named = (tool: string) => (path === '/mcp' ? `${name}__${tool}` : tool);
    for (const message of [
      callOf(named('echo'), { text: 'tea' }),
      callOf(named('echo'), { text: 'tea' }, 'an id'),
      callOf(named('failing')),
      callOf(named('refusing')),
      callOf('nobody'),
      callOf(7),
      callOf(named('echo'), 'no object'),
      callOf(named('echo'), [1]),
    ]) {
      const straight = await f.post(path, message, { ...headers, ...version });
      // Who names no revision is left to the library.
      const usual = await f.post(path, message, headers);
      expect([straight.status, messageIn(await straight.text())]).toEqual([
        usual.status,
        messageIn(await usual.text()),
      ]);
    }
  }
});

test("answers and errors are the same as the library's for clients of the newest revision", async () => {
  const own = 'io.modelcontextprotocol/';
  const _meta = { [`${own}protocolVersion`]: '2026-07-28', [`${own}clientCapabilities`]: { elicitation: {} } };
  const failing: ScriptedTool = { name: 'failing', answer: () => ({ content: [], isError: true, _meta: { a: 1 } }) };
  const refusing: ScriptedTool = {
    name: 'refusing',
    answer: () => {
      throw Object.assign(new Error('not so'), { code: -32_050, data: { why: 'because' } });
    },
  };
  for (const era of ['sessions', 'modern'] as const) {
    const { name } = await f.connected(f.start([echo, failing, refusing], era));
    for (const path of [`/mcp/${name}`, '/mcp']) {
      const named = (tool: string) => (path === '/mcp' ? `${name}__${tool}` : tool);
      const ask = async (tool: string, more: object, header = tool, args: unknown = { text: 'tea' }) => {
        const params = { name: tool, arguments: args, _meta: { ..._meta, ...more } };
        const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': header };
        const answer = await f.post(path, { jsonrpc: '2.0', id: 'an id', method: 'tools/call', params }, headers);
        return [answer.status, await answer.json()];
      };
      // Who says more is left to the library; the first call connects.
      const usual = { 'example.test/more': true };
      await ask(named('echo'), usual);
      for (const [tool, header, args] of [
        [named('echo')],
        [named('echo'), named('echo'), 'no object'],
        [named('failing')],
        [named('refusing')],
        ['nobody'],
        [named('echo'), named('failing')],
      ] as const)
        expect([era, path, await ask(tool, {}, header, args)]).toEqual([
          era,
          path,
          await ask(tool, usual, header, args),
        ]);
      const other = { [`${own}protocolVersion`]: '2025-06-18' };
      expect(await ask(named('echo'), other)).toEqual(await ask(named('echo'), { ...other, ...usual }));
    }
  }
});

test.each<[bits: string, kept: (id: number) => number]>([
  ['signed', (id) => id | 0],
  ['unsigned', (id) => id >>> 0],
])('a server that keeps ids in 32 bits, %s, is called', async (_, kept) => {
  const server = f.startRaw(({ method, id }) => {
    const result =
      method === 'tools/list'
        ? { tools: [{ name: 'one', inputSchema: { type: 'object' } }] }
        : { content: [{ type: 'text', text: 'here' }] };
    return Response.json({ jsonrpc: '2.0', id: kept(id as number), result });
  });
  const { name } = await f.connected(server);
  const headers = { ...(await session(`/mcp/${name}`)), ...version };
  for (let calls = 0; calls < 3; calls += 1)
    expect(await (await f.post(`/mcp/${name}`, callOf('one'), headers)).text()).toContain('here');
});

test('notifications arrive before the answer, and a slow answer starts streaming', async () => {
  const begun = Promise.withResolvers<string>();
  const tools: ScriptedTool[] = [
    {
      name: 'talking',
      answer: async (_, { mcpReq }) => {
        await mcpReq.log('warning', 'half of it');
        return 'all of it';
      },
    },
    { name: 'slow', answer: () => begun.promise },
  ];
  const logging = { capabilities: { logging: {} }, set: () => {} };
  const { name } = await f.connected(f.start(tools, 'sessions', false, logging));
  const headers = { ...(await session(`/mcp/${name}`)), ...version };
  const talking = await (await f.post(`/mcp/${name}`, callOf('talking'), headers)).text();
  expect(talking).toMatch(/half of it.*all of it/s);
  const slow = await f.post(`/mcp/${name}`, callOf('slow'), headers);
  begun.resolve('at last');
  expect([slow.headers.get('content-type'), await slow.text()]).toEqual([
    'text/event-stream',
    expect.stringContaining('at last'),
  ]);
});

test('a client that leaves during the response ends the call', async () => {
  let ended = false;
  const endless: ScriptedTool = {
    name: 'endless',
    answer: async (_, { mcpReq }) => {
      await mcpReq.log('info', 'begun');
      await new Promise((resolve) => mcpReq.signal.addEventListener('abort', resolve));
      ended = true;
      return 'ended';
    },
  };
  const logging = { capabilities: { logging: {} }, set: () => {} };
  const { name } = await f.connected(f.start([endless], 'sessions', false, logging));
  const { client } = await f.clientOf(`/mcp/${name}`, 'legacy');
  const leaving = new AbortController();
  const heard = Promise.withResolvers<void>();
  client.setNotificationHandler('notifications/message', () => heard.resolve());
  const answer = client.callTool({ name: 'endless', arguments: {} }, { signal: leaving.signal });
  await heard.promise;
  leaving.abort(new Error('enough'));
  await expect(answer).rejects.toThrow();
  await until('the server hears of it', () => ended);
});

test('a tool that sends a notification and then takes long is answered', async () => {
  const slow: ScriptedTool = {
    name: 'slow',
    answer: async (_, { mcpReq }) => {
      await mcpReq.log('info', 'one moment');
      // Longer than an answer may be quiet.
      await Bun.sleep(2_300);
      return 'done';
    },
  };
  const logs = { capabilities: { logging: {} }, set: () => {} };
  const { name } = await f.connected(f.start([slow], 'sessions', false, logs));
  const headers = { ...(await session(`/mcp/${name}`)), ...version };
  const text = await (await f.post(`/mcp/${name}`, callOf('slow'), headers)).text();
  expect(text).toContain('one moment');
  expect(text).toContain('done');
});
