import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { More, ScriptedTool } from '../mcp.fixture.ts';
import { echo, type FrontTest, openFrontTest } from './front.fixture.ts';

/* What the revisions ask of servers and clients, where one of them stands on each side. */

let f: FrontTest;
beforeAll(async () => {
  f = await openFrontTest();
});
afterAll(() => f.t.close());
afterEach(() => f.tidy());

type Params = Record<string, unknown>;
interface Answer {
  status: number;
  result?: Params;
  error?: { code: number; message: string; data?: unknown };
}

const own = 'io.modelcontextprotocol/';
const _meta = { [`${own}protocolVersion`]: '2026-07-28', [`${own}clientCapabilities`]: {} };

const read = async (response: Response): Promise<Answer> => {
  const text = await response.text();
  const json = text.startsWith('{') ? text : text.split('data: ').at(-1)!;
  return { status: response.status, ...(json.trim() === '' ? {} : JSON.parse(json)) };
};
const headersFor = (method: string, { name, uri }: Params) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...((name ?? uri) !== undefined && { 'mcp-name': String(name ?? uri) }),
});

async function newest(path: string, method: string, params: Params = {}, headers: Record<string, string> = {}) {
  const message = { jsonrpc: '2.0', id: 1, method, params: { _meta, ...params } };
  return read(await f.post(path, message, { ...headersFor(method, params), ...headers }));
}

async function before(path: string, method: string, params: Params = {}): Promise<Answer> {
  const clientInfo = { name: 'before', version: '1' };
  const asked = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const begun = await f.post(path, { jsonrpc: '2.0', id: 0, method: 'initialize', params: asked });
  await begun.text();
  const session = begun.headers.get('mcp-session-id')!;
  const headers = { 'mcp-protocol-version': '2025-11-25', 'mcp-session-id': session };
  return read(await f.post(path, { jsonrpc: '2.0', id: 1, method, params }, headers));
}

const listing = { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
const page = { mode: 'url', elicitationId: 'e', url: 'https://example.com/sign', message: 'Sign in' };
const all = { offers: ['resources', 'prompts'] };

describe('errors of an older server', () => {
  const requiredCapabilities = { elicitation: {} };
  const given: [code: number, data: unknown, told: number, status?: number][] = [
    // Codes of before, which the newest has no more.
    [-32_002, undefined, -32_602],
    [-32_042, { elicitations: [page] }, -32_603],
    // The protocol's own, which a server of before cannot mean.
    [-32_020, undefined, -32_603],
    [-32_021, undefined, -32_603],
    [-32_021, { requiredCapabilities }, -32_021, 400],
    [-32_022, undefined, -32_603],
    [-32_050, undefined, -32_603],
    [-32_601, undefined, -32_601, 404],
    // Anything else is the server's.
    [-32_602, { why: 'wrong' }, -32_602],
    [-32_000, undefined, -32_000],
    [-32_100, undefined, -32_100],
    [7, 'seven', 7],
  ];

  test("use the codes of the client's revision and the server's messages", async () => {
    let error = {};
    const server = f.startRaw(
      ({ method, id, result }) =>
        Response.json(method === 'tools/list' ? result(listing) : { jsonrpc: '2.0', id, error }),
      { capabilities: { tools: {}, resources: {} } },
    );
    const { name } = await f.connected(server, all);
    const path = `/mcp/${name}`;
    const call = { name: 'echo', arguments: {} };
    for (const [code, data, told, status = 200] of given) {
      error = { code, message: 'no', data };
      const expected = { status, error: { code: told, message: 'no', ...(data !== undefined && { data }) } };
      expect({ code, ...(await newest(path, 'tools/call', call)) }).toMatchObject({ code, ...expected });
      const slowly = { ...call, _meta: { ..._meta, progressToken: 1 } };
      expect({ code, ...(await newest(path, 'tools/call', slowly)) }).toMatchObject({ code, ...expected });
      expect({ code, ...(await newest(path, 'resources/read', { uri: 'x://y' })) }).toMatchObject({
        code,
        ...expected,
      });
      expect(await before(path, 'tools/call', call)).toMatchObject({ status: 200, error: { code } });
    }
  });

  test('that ask a person to visit a page become questions for clients that support them', async () => {
    let visited = false;
    let calls = 0;
    const server = f.startRaw(
      ({ method, id, result }) => {
        if (method === 'tools/list') return Response.json(result(listing));
        calls += 1;
        if (visited) return Response.json(result({ content: [{ type: 'text', text: 'welcome' }] }));
        const error = { code: -32_042, message: 'sign in first', data: { elicitations: [page] } };
        return Response.json({ jsonrpc: '2.0', id, error });
      },
      { protocolVersion: '2025-11-25' },
    );
    const { name } = await f.connected(server);
    const path = `/mcp/${name}`;
    const able = { ..._meta, [`${own}clientCapabilities`]: { elicitation: { url: {} } } };
    const call = { name: 'echo', arguments: {}, _meta: able };
    const { elicitationId: _, ...params } = page;
    expect((await newest(path, 'tools/call', call)).result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { 'page-1': { method: 'elicitation/create', params } },
    });
    visited = true;
    const back = { ...call, inputResponses: { 'page-1': { action: 'accept' } } };
    const { result } = await newest(path, 'tools/call', back);
    expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'welcome' }] });
    expect(calls).toBe(2);
    visited = false;
    const formsOnly = { ..._meta, [`${own}clientCapabilities`]: { elicitation: { form: {} } } };
    expect((await newest(path, 'tools/call', { ...call, _meta: formsOnly })).error?.code).toBe(-32_603);
  });
});

const more: More = {
  capabilities: { resources: {}, prompts: {} },
  set: (server) => {
    // As servers of the newest revision may write it; the library's types know it of none.
    const open = { ttlMs: 60_000, cacheScope: 'public' } as object;
    server.setRequestHandler('resources/list', () => ({ resources: [], ...open }));
    server.setRequestHandler('resources/read', ({ params: { uri } }) => ({ contents: [{ uri, text: 'hi' }], ...open }));
    server.setRequestHandler('prompts/list', () => ({ prompts: [] }));
  },
};

describe.each(['sessions', 'modern'] as const)('a server of the era %s', (era) => {
  test('says how long its answers last, and they are private to the caller', async () => {
    const { name } = await f.connected(f.start([echo], era, true, more), all);
    const path = `/mcp/${name}`;
    const asked: [string, Params, number][] = [
      ['server/discover', {}, 0],
      ['tools/list', {}, 0],
      ['prompts/list', {}, 0],
      ['resources/list', {}, 60_000],
      ['resources/read', { uri: 'x://y' }, 60_000],
    ];
    for (const [method, params, ttlMs] of asked) {
      const { result } = await newest(path, method, params);
      expect({ method, ...result }).toMatchObject({ method, resultType: 'complete', ttlMs, cacheScope: 'private' });
    }
  });

  test('without a method reports that in its own words', async () => {
    const { name } = await f.connected(f.start([echo], era, true, more), all);
    const expected = { error: { code: -32_601, message: expect.stringContaining('Method not found') } };
    expect(await newest(`/mcp/${name}`, 'resources/templates/list')).toMatchObject({ status: 404, ...expected });
    expect(await before(`/mcp/${name}`, 'resources/templates/list')).toMatchObject({ status: 200, ...expected });
  });
});

test('a result type sent by an older server is ignored', async () => {
  for (const resultType of ['weird', 'input_required', 'task', 7]) {
    const answer = { resultType, inputRequests: {}, taskId: 't', content: [] };
    const server = f.startRaw(({ method, result }) =>
      Response.json(result(method === 'tools/list' ? listing : answer)),
    );
    const { name } = await f.connected(server);
    for (const more of [{}, { progressToken: 1 }]) {
      const call = { name: 'echo', arguments: {}, _meta: { ..._meta, ...more } };
      expect((await newest(`/mcp/${name}`, 'tools/call', call)).result).toMatchObject({
        resultType: 'complete',
        content: [],
      });
      const { result } = await before(`/mcp/${name}`, 'tools/call', { ...call, _meta: more });
      expect([result?.content, result?.resultType]).toEqual([[], undefined]);
    }
  }
});

describe('structured results', () => {
  const structured = (name: string, outputSchema: object, structuredContent: unknown): ScriptedTool => ({
    ...{ name, further: { outputSchema } },
    answer: () => ({ content: [{ type: 'text', text: 'as text' }], structuredContent }),
  });
  const either = { anyOf: [{ type: 'object' }, { type: 'null' }] };
  const tools = [
    structured('list', { type: 'array', items: { type: 'string' } }, ['a']),
    structured('nothing', either, null),
    structured('maybe', either, { a: 1 }),
    structured('object', { type: 'object' }, { a: 1 }),
  ];

  test('that are not objects are wrapped for older clients only, as listed', async () => {
    const { name } = await f.connected(f.start(tools, 'modern'));
    for (const [path, prefix] of [
      [`/mcp/${name}`, ''],
      ['/mcp', `${name}__`],
    ] as const) {
      const { client } = await f.clientOf(path, 'legacy');
      await client.listTools();
      const told = async (tool: string) =>
        (await client.callTool({ name: prefix + tool, arguments: {} })).structuredContent;
      expect([await told('list'), await told('nothing'), await told('maybe'), await told('object')]).toEqual([
        { result: ['a'] },
        { result: null },
        { result: { a: 1 } },
        { a: 1 },
      ]);
      const natural = async (tool: string) =>
        (await newest(path, 'tools/call', { name: prefix + tool, arguments: {} })).result?.structuredContent;
      expect([await natural('list'), await natural('nothing'), await natural('maybe')]).toEqual([
        ['a'],
        null,
        { a: 1 },
      ]);
    }
  });
});

describe('pages of tools', () => {
  const named = (name: string) => ({ name, inputSchema: { type: 'object' } });
  const first = { tools: [named('one')], nextCursor: '' };
  test.each([
    ['an empty cursor leads to the next page', { tools: [named('two')] }, ['one', 'two']],
    ['a null cursor ends the list', { tools: [named('two')], nextCursor: null }, ['one', 'two']],
    ['a server that repeats an empty cursor is stopped', first, ['one']],
  ])('%s', async (_, second, names) => {
    const server = f.startRaw(({ params, result }) => Response.json(result('cursor' in params ? second : first)));
    const { id } = await f.admin.connect('pages', server.url);
    const { tools, cut } = await f.admin.test(id);
    expect([tools.map((tool) => tool.name), tools.map((tool) => tool.problem), cut]).toEqual([
      ...[names, names.map(() => null), false],
    ]);
  });
});

describe('requests of the newest revision', () => {
  const call = { name: 'echo', arguments: { text: 'x' } };
  const without = (name: string) => Object.fromEntries(Object.entries(_meta).filter(([key]) => key !== own + name));
  const said = (more: object) => ({ _meta: { ..._meta, ...more } });
  const revision = (name: string) => ({ 'mcp-protocol-version': name });
  const asked: [string, string, Params, Record<string, string>, number, number | undefined][] = [
    ['that are whole are answered', 'tools/call', call, {}, 200, undefined],
    ['say what the client can do', 'tools/list', { _meta: without('clientCapabilities') }, {}, 400, -32_602],
    ['say their revision', 'tools/list', { _meta: without('protocolVersion') }, {}, 400, -32_602],
    ['say it twice alike', 'tools/list', said({ [`${own}protocolVersion`]: '2025-11-25' }), {}, 400, -32_020],
    [
      'are of a revision that is known',
      'tools/list',
      said({ [`${own}protocolVersion`]: '1900-01-01' }),
      revision('1900-01-01'),
      400,
      -32_022,
    ],
    [
      'name a level of logs that there is',
      'tools/call',
      { ...call, ...said({ [`${own}logLevel`]: 'loud' }) },
      {},
      400,
      -32_602,
    ],
    ['repeat their method', 'tools/call', call, { 'mcp-method': 'tools/list' }, 400, -32_020],
    ['repeat their name', 'tools/call', call, { 'mcp-name': 'other' }, 400, -32_020],
    ['may encode it', 'tools/call', call, { 'mcp-name': '=?base64?ZWNobw==?=' }, 200, undefined],
    ['encode it rightly', 'tools/call', call, { 'mcp-name': '=?base64?#?=' }, 400, -32_020],
    ['begin nothing', 'initialize', {}, {}, 404, -32_601],
    ['are no ping', 'ping', {}, {}, 404, -32_601],
    ['set no level once for all', 'logging/setLevel', { level: 'info' }, {}, 404, -32_601],
    ['subscribe to nothing', 'resources/subscribe', { uri: 'x://y' }, {}, 404, -32_601],
    ['listen to nothing', 'subscriptions/listen', { notifications: {} }, {}, 404, -32_601],
    ['ask for what there is', 'no/such', {}, {}, 404, -32_601],
  ];

  test.each(['sessions', 'modern'] as const)('are validated alike before a server of the era %s', async (era) => {
    const { name } = await f.connected(f.start([echo], era, true, more), all);
    for (const [what, method, params, headers, status, code] of asked) {
      const { status: told, error } = await newest(`/mcp/${name}`, method, params, headers);
      expect([what, told, error?.code]).toEqual([what, status, code]);
    }
    const post = async (message: object) =>
      (await f.post(`/mcp/${name}`, { jsonrpc: '2.0', ...message }, headersFor('notifications/any', {}))).status;
    expect(await post({ method: 'notifications/any', params: { _meta } })).toBe(202);
    expect(await post({ id: 1, result: {} })).toBe(400);
    expect(await post({ id: null, method: 'tools/list', params: { _meta } })).toBe(400);
  });
});
