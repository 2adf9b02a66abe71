import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { until } from '../../lib/until.fixture.ts';
import type { More, ScriptedTool } from '../mcp.fixture.ts';
import { echo, type FrontTest, openFrontTest } from './front.fixture.ts';

let f: FrontTest;
beforeAll(async () => {
  f = await openFrontTest();
});
afterAll(() => f.t.close());
afterEach(() => f.tidy());

describe.each([
  ['legacy', 'sessions', true],
  ['legacy', 'sessions', false],
  ['legacy', 'modern', true],
  ['auto', 'sessions', true],
  ['auto', 'modern', true],
] as const)('a %s client and a server with %s (JSON: %s)', (mode, era, json) => {
  test('lists approved tools, calls them and returns their answers unchanged', async () => {
    const picture = { content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] };
    const server = f.start([echo, { name: 'draw', answer: () => picture }, { name: 'hidden' }], era, json);
    const { id, name } = await f.connected(server);
    await f.admin.allow(id, ['echo', 'draw']);
    const { client } = await f.clientOf(`/mcp/${name}`, mode);
    expect(client.getServerVersion()).toMatchObject({ name: 'scripted', version: '7' });
    expect(client.getInstructions()).toBe('Mind the step.');
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(['draw', 'echo']);
    expect(tools[1]).toMatchObject({ ...echo.further, description: 'Says it again.' });
    const said = await client.callTool({ name: 'echo', arguments: { text: 'tea' } });
    expect(said.content).toEqual([{ type: 'text', text: 'you said tea' }]);
    expect((await client.callTool({ name: 'draw', arguments: {} })).content).toMatchObject(picture.content);
    await expect(client.callTool({ name: 'hidden', arguments: {} })).rejects.toThrow('Unknown tool: hidden');
    expect(server.calls.map((call) => call.name)).toEqual(['echo', 'draw']);
  });
});

test('an unknown page of tools and an unknown log level are rejected with protocol errors', async () => {
  const { name } = await f.connected(f.start([echo]));
  for (const path of [`/mcp/${name}`, '/mcp', '/mcp/svc'])
    for (const [method, params] of [
      ['tools/list', { cursor: 'elsewhere' }],
      ['logging/setLevel', { level: 'loud' }],
    ] as const) {
      const answer = await f.post(path, { jsonrpc: '2.0', id: 1, method, params });
      expect(await answer.text()).toContain('"code":-32602');
    }
  const first = await f.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: '' } });
  expect(await first.text()).toContain(`${name}__echo`);
});

test('listening where nothing is sent is refused, with the supported methods', async () => {
  for (const path of ['/mcp', '/mcp/svc']) {
    const { status, headers } = await f.t.call(path, { headers: { authorization: `Bearer ${f.key}` } });
    expect([path, status, headers.get('allow')]).toEqual([path, 405, 'POST, DELETE']);
  }
});

test('the combined endpoint prefixes tool names with the server and includes built-in tools', async () => {
  const [one, two] = [f.start([echo]), f.start([echo], 'modern')];
  const names = [(await f.connected(one)).name, (await f.connected(two)).name];
  const { client } = await f.clientOf('/mcp');
  const { tools } = await client.listTools();
  const listed = tools.map((tool) => tool.name);
  expect(listed).toContain('svc__ask_model');
  expect(listed.filter((name) => name.endsWith('__echo'))).toEqual(names.map((name) => `${name}__echo`));
  const said = await client.callTool({ name: `${names[1]}__echo`, arguments: { text: 'two' } });
  expect(said.content).toEqual([{ type: 'text', text: 'you said two' }]);
  expect([one.calls.length, two.calls.length]).toEqual([0, 1]);
  await expect(client.callTool({ name: 'nobody__echo', arguments: {} })).rejects.toThrow('Unknown tool');
});

/** A server with everything that is passed on. */
const more: More = {
  capabilities: { resources: {}, prompts: {}, completions: {}, logging: {} },
  set: (server) => {
    const uri = 'note://one';
    server.setRequestHandler('resources/list', () => ({ resources: [{ uri, name: 'one' }] }));
    server.setRequestHandler('resources/read', ({ params }) => ({ contents: [{ uri: params.uri, text: 'the note' }] }));
    server.setRequestHandler('prompts/list', () => ({ prompts: [{ name: 'greet' }] }));
    server.setRequestHandler('prompts/get', () => ({
      messages: [{ role: 'user', content: { type: 'text', text: 'Greet!' } }],
    }));
    server.setRequestHandler('completion/complete', () => ({ completion: { values: ['tea', 'tee'] } }));
  },
};

describe.each([
  ['legacy', 'sessions'],
  ['auto', 'sessions'],
  ['auto', 'modern'],
] as const)('resources, prompts and completions, for a %s client of a server with %s', (mode, era) => {
  test('are passed on if enabled, and missing otherwise', async () => {
    const { id, name } = await f.connected(f.start([echo], era, true, more), { offers: ['resources', 'prompts'] });
    const { client } = await f.clientOf(`/mcp/${name}`, mode);
    expect((await client.listResources()).resources).toMatchObject([{ uri: 'note://one' }]);
    expect((await client.readResource({ uri: 'note://one' })).contents).toMatchObject([{ text: 'the note' }]);
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'greet' }]);
    expect((await client.getPrompt({ name: 'greet' })).messages).toHaveLength(1);
    const ref = { type: 'ref/prompt', name: 'greet' } as const;
    const completed = await client.complete({ ref, argument: { name: 'drink', value: 't' } });
    expect(completed.completion.values).toEqual(['tea', 'tee']);
    await f.admin.send('PUT', `/${id}`, { offers: [] });
    await expect(client.readResource({ uri: 'note://one' })).rejects.toThrow('Method not found');
    await expect(client.getPrompt({ name: 'greet' })).rejects.toThrow('Method not found');
    const { client: later } = await f.clientOf(`/mcp/${name}`, mode);
    expect(Object.keys(later.getServerCapabilities() ?? {}).sort()).toEqual(['logging', 'tools']);
  });
});

test.each(['legacy', 'auto'] as const)('progress and log messages arrive while a tool runs (%s)', async (mode) => {
  const slow: ScriptedTool = {
    name: 'slow',
    answer: async (_, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } });
      await mcpReq.log('warning', 'half of it');
      return 'done';
    },
  };
  const { name } = await f.connected(f.start([slow], 'sessions', false, more));
  const { client } = await f.clientOf(`/mcp/${name}`, mode);
  const told: unknown[] = [];
  client.setNotificationHandler('notifications/message', ({ params }) => void told.push(params.data));
  const progress: unknown[] = [];
  const said = await client.callTool(
    // The newest protocol says with each request how much it wants to hear.
    { name: 'slow', arguments: {}, ...(mode === 'auto' && { _meta: { 'io.modelcontextprotocol/logLevel': 'debug' } }) },
    { onprogress: (step) => void progress.push(step) },
  );
  expect(said.content).toEqual([{ type: 'text', text: 'done' }]);
  expect(progress).toEqual([{ progress: 1, total: 2 }]);
  await until('the message is heard', () => told.length === 1);
  expect(told).toEqual(['half of it']);
});

test.each(['legacy', 'auto'] as const)('cancelling a call cancels it at the server too (%s)', async (mode) => {
  let stopped = false;
  const endless: ScriptedTool = {
    name: 'endless',
    answer: (_, { mcpReq }) =>
      new Promise((resolve) => {
        mcpReq.signal.addEventListener('abort', () => {
          stopped = true;
          resolve('stopped');
        });
      }),
  };
  const server = f.start([endless], 'sessions', false);
  const { name } = await f.connected(server);
  const { client } = await f.clientOf(`/mcp/${name}`, mode);
  const leaving = new AbortController();
  const answer = client.callTool({ name: 'endless', arguments: {} }, { signal: leaving.signal });
  await until('the tool is called', () => server.calls.length === 1);
  leaving.abort(new Error('enough'));
  await expect(answer).rejects.toThrow();
  await until('the server hears of it', () => stopped);
});

test('an upstream session belongs to one client, survives a restart, and ends with its client or when idle', async () => {
  const server = f.start([echo]);
  const { name } = await f.connected(server);
  await f.t.app.mcp.stop();
  await until('the sessions of the setup are ended', () => server.sessions.size === 0);
  const [first, second] = [await f.clientOf(`/mcp/${name}`, 'legacy'), await f.clientOf(`/mcp/${name}`, 'legacy')];
  const say = ({ client }: typeof first) => client.callTool({ name: 'echo', arguments: { text: 'x' } });
  await say(first);
  await say(second);
  await until('each client has one, and lists another', () => server.sessions.size === 3);
  const opened = server.opened;
  // Whatever a process held is gone with it; what was kept is gone on with.
  await f.t.app.mcp.stop();
  await until('the one for lists is ended', () => server.sessions.size === 2);
  await say(first);
  await say(second);
  expect(server.opened).toBe(opened + 1);
  // A session that the server forgot is begun anew.
  server.sessions.clear();
  expect((await say(first)).content).toEqual([{ type: 'text', text: 'you said x' }]);
  await say(second);
  await f.t.app.mcp.stop();
  await until('two are left', () => server.sessions.size === 2);
  await first.transport.terminateSession();
  await until('one is left', () => server.sessions.size === 1);
  f.clock.advance(31 * 60_000);
  await f.t.app.mcp.sweep();
  await until('none is left', () => server.sessions.size === 0);
  expect(await f.t.platform.database.db.selectFrom('mcp_sessions').selectAll().execute()).toEqual([]);
});

test('upstream sessions end with their user or membership, without ending those of others', async () => {
  const servers = [f.start([echo]), f.start([echo])];
  const names: string[] = [];
  for (const server of servers) names.push((await f.connected(server)).name);
  const [one, other] = [await f.t.user(), await f.t.user()];
  for (const { id, key } of [one, other])
    for (const name of names) {
      const { client } = await f.clientOf(`/mcp/${name}`, 'legacy', await key());
      await client.callTool({ name: 'echo', arguments: { text: `${id}` } });
    }
  const open = () => servers.map(({ sessions }) => sessions.size);
  await f.t.app.mcp.stop();
  await until('those for lists are ended', () => open().join() === '2,2');
  // As if the first server were an organisation's.
  const { db } = f.t.platform.database;
  const account = await f.t.user();
  await db.updateTable('mcp_servers').set({ owner_id: account.id }).where('name', '=', names[0]!).execute();
  await f.t.app.mcp.forgetMember(one.id, account.id);
  expect(open()).toEqual([1, 2]);
  await f.t.app.mcp.forgetUser(one.id);
  expect(open()).toEqual([1, 1]);
});
