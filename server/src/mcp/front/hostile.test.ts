import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { until } from '../../lib/until.fixture.ts';
import { openOAuthTest } from '../../oauth/oauth.fixture.ts';
import type { RawAsked } from '../mcp.fixture.ts';
import { allowedFor } from './caller.ts';
import { type FrontTest, openFrontTest } from './front.fixture.ts';

/* Servers behind us that hang, lie and flood, and callers with tokens for something else. */

let f: FrontTest;
beforeAll(async () => {
  f = await openFrontTest();
});
afterAll(() => f.t.close());
afterEach(() => f.tidy());

const secret = 'the-secret-of-this-server';
type Answer = (asked: RawAsked, request: Request) => Response | Promise<Response>;
/** Lists one tool, and lets the test answer its call. */
const calling = (answer: Answer) =>
  f.startRaw((asked, request) =>
    asked.method === 'tools/list'
      ? Response.json(asked.result({ tools: [{ name: 'one', inputSchema: { type: 'object' } }] }))
      : answer(asked, request),
  );

const json = { headers: { 'content-type': 'application/json' } };
const broken: Record<string, [says: string, answer: Answer]> = {
  'a redirect': [
    'it redirects elsewhere; redirects are not followed',
    () => new Response(null, { status: 307, headers: { location: 'http://127.0.0.1:1/other' } }),
  ],
  megabytes: [
    'larger than 1 MiB',
    ({ result }) => Response.json(result({ content: [{ type: 'text', text: 'x'.repeat(3_000_000) }] })),
  ],
  silence: ['it did not respond in time', () => new Promise<Response>(() => {})],
  'no answer at all': [
    'closed the connection',
    () => new Response('data: {"half\n\n', { headers: { 'content-type': 'text/event-stream' } }),
  ],
  'garbage instead of JSON': ['does not follow the protocol', () => new Response('<html>', json)],
  'JSON that is no answer': ['does not follow the protocol', () => Response.json([1, null, { a: 2 }])],
  'the answer to something else': [
    'does not follow the protocol',
    () => Response.json({ jsonrpc: '2.0', id: 'other', result: { content: [] } }),
  ],
  'an invalid result': ['does not follow the protocol', ({ result }) => Response.json(result([1]))],
  'an invalid error': ['does not follow the protocol', ({ id }) => Response.json({ jsonrpc: '2.0', id, error: 'so' })],
  'another type': ['does not follow the protocol', () => new Response('hello')],
  'nesting without end': [
    'nested too deeply',
    ({ id }) => new Response(`{"jsonrpc":"2.0","id":${id},"result":${'['.repeat(300)}`, json),
  ],
  'status 500': ['it returned status 500', () => new Response(`${secret} at line 7`, { status: 500 })],
  'an error that repeats our secret': [
    'unknown key [redacted]',
    ({ id }) => Response.json({ jsonrpc: '2.0', id, error: { code: -32_050, message: `unknown key ${secret}` } }),
  ],
};

test.each(Object.keys(broken))('%s is reported once as a bounded error', async (what) => {
  const [says, answer] = broken[what]!;
  const server = calling(answer);
  // Only silence waits for it; on a slow machine it must be enough to list the tools.
  const timeout_ms = what === 'silence' ? 2_000 : 30_000;
  const { name } = await f.connected(server, { headers: { 'x-key': secret }, timeout_ms });
  const { client } = await f.clientOf(`/mcp/${name}`);
  await expect(client.callTool({ name: 'one', arguments: {} })).rejects.toThrow(says);
  expect(server.asked.filter((method) => method === 'tools/call')).toHaveLength(1);
});

/** A server of before that is asked for its list, and says the rest by events of its own. */
const sayingFirst = (messages: () => object[]) =>
  calling(({ result, method }) => {
    if (method !== 'tools/call') return new Response(null, { status: 202 });
    const said = [...messages(), result({ content: [{ type: 'text', text: 'done' }] })];
    const text = said.map((message) => `data: ${JSON.stringify(message)}\n\n`).join('');
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
  });

test.each(['ping', 'sampling/createMessage'])(
  'thousands of questions (%s) in one response are not all answered at once',
  async (method) => {
    const flood = () => Array.from({ length: 4_000 }, (_, id) => ({ jsonrpc: '2.0', id: `q${id}`, method }));
    const server = sayingFirst(flood);
    const { name } = await f.connected(server);
    const { client } = await f.clientOf(`/mcp/${name}`, 'legacy');
    const { content } = await client.callTool({ name: 'one', arguments: {} });
    expect(content).toEqual([{ type: 'text', text: 'done' }]);
    // Answers have no method; whoever is asked next comes after them.
    await until('some are', () => server.asked.filter((asked) => asked === undefined).length > 3);
    await client.listTools();
    const answered = server.asked.filter((asked) => asked === undefined).length;
    expect(answered).toBeLessThan(1_000);
  },
);

test('a stream that a server keeps open after its response is closed', async () => {
  let left = 0;
  const server = calling(({ result, method }) => {
    if (method !== 'tools/call') return new Response(null, { status: 202 });
    const text = `data: ${JSON.stringify(result({ content: [] }))}\n\n`;
    const body = new ReadableStream<Uint8Array>({
      start: (out) => out.enqueue(new TextEncoder().encode(text)),
      cancel: () => {
        left += 1;
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  const { name } = await f.connected(server, { timeout_ms: 600_000 });
  const { client } = await f.clientOf(`/mcp/${name}`, 'legacy');
  await client.callTool({ name: 'one', arguments: {} });
  // One that asks for progress goes through the library.
  await client.callTool({ name: 'one', arguments: {} }, { onprogress: () => {} });
  await until('both are left', () => left === 2);
});

test("a server's description of itself is bounded and shown without invisible characters", async () => {
  const listing = ({ result }: RawAsked) =>
    Response.json(result({ tools: [{ name: 'one', inputSchema: { type: 'object' } }] }));
  const hidden = { serverInfo: { name: 'a\u202eb', version: '1' }, instructions: 'Be\u{e0041} kind.' };
  const { name } = await f.connected(f.startRaw(listing, hidden));
  const { client } = await f.clientOf(`/mcp/${name}`);
  expect([client.getServerVersion()?.name, client.getInstructions()]).toEqual(['', undefined]);
  const long = 'x'.repeat(100_000);
  const capabilities = { tools: {}, experimental: { x: { long } } };
  for (const [i, itself] of [{ instructions: long }, { capabilities }].entries()) {
    const { id } = await f.admin.connect(`big${i}`, f.startRaw(listing, itself).url);
    expect(await f.admin.test(id)).toMatchObject({
      ok: false,
      error: expect.stringContaining('its description of itself is longer than'),
    });
  }
});

test('words of our headers that are no secrets stay in results', async () => {
  const said = {
    content: [{ type: 'text', text: 'Bearer tokens of issues are at /issues/1' }],
    structuredContent: { Bearer: { issues: ['issues'] } },
  };
  const server = calling(({ result }) => Response.json(result(said)));
  const headers = { authorization: `Bearer ${secret}`, 'x-mcp-toolsets': 'issues' };
  const { name } = await f.connected(server, { headers });
  const { client } = await f.clientOf(`/mcp/${name}`, 'legacy');
  expect(await client.callTool({ name: 'one', arguments: {} })).toMatchObject(said);
});

test('our secret is removed from a result, and the rest is unchanged', async () => {
  const server = calling(({ result }, { headers }) =>
    Response.json(result({ content: [{ type: 'text', text: `you sent ${headers.get('x-key')}` }], extra: [1, null] })),
  );
  const { name } = await f.connected(server, { headers: { 'x-key': secret } });
  const { client } = await f.clientOf(`/mcp/${name}`, 'legacy');
  const said = await client.callTool({ name: 'one', arguments: {} });
  expect(said).toMatchObject({ content: [{ text: 'you sent [redacted]' }], extra: [1, null] });
});

test('an unreachable server is a gateway error, on the first request and later ones', async () => {
  const server = f.start([{ name: 'one' }]);
  const { name } = await f.connected(server);
  const { client } = await f.clientOf(`/mcp/${name}`);
  server.stop();
  f.laterOn();
  await expect(client.listTools()).rejects.toThrow(`The server ${name} failed`);
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const first = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  const answer = await f.post(`/mcp/${name}`, first);
  expect([answer.status, await answer.json()]).toMatchObject([502, { error: { code: -32_603 } }]);
});

test('a batch may contain at most one tool call, so that rate limits count each call', async () => {
  const server = f.start([{ name: 'one' }]);
  const { name } = await f.connected(server);
  const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'one', arguments: {} } });
  const gone = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } };
  for (const [path, wanted] of [
    [`/mcp/${name}`, 'one'],
    ['/mcp', `${name}__one`],
  ] as const) {
    const named = (id: number) => ({ ...call(id), params: { name: wanted, arguments: {} } });
    const calls = server.calls.length;
    const many = await f.post(path, [named(1), { jsonrpc: '2.0', id: 2, method: 'ping' }, named(3)]);
    expect([many.status, await many.json()]).toMatchObject([400, { error: { code: -32_600 } }]);
    expect(server.calls).toHaveLength(calls);
    const one = await f.post(path, [named(1), { jsonrpc: '2.0', id: 2, method: 'ping' }, gone]);
    expect([one.status, (await one.text()).includes('one says hello')]).toEqual([200, true]);
    expect(server.calls).toHaveLength(calls + 1);
  }
});

test('an impossible tool name is an unknown tool on every engine', async () => {
  const { name } = await f.connected(f.start([{ name: 'one' }]));
  for (const odd of ['one\0', '\0', '\ud800', 'x'.repeat(100_000), `${name}\0__one`, `${name}__one\0`, 7, null, {}])
    for (const path of [`/mcp/${name}`, '/mcp']) {
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: odd, arguments: {} } };
      const answer = await f.post(path, call);
      expect([path, odd, await answer.text()]).toEqual([path, odd, expect.stringMatching(/"code":-3260[02]/)]);
    }
});

test('a token opens only the address it was issued for', async () => {
  const base = 'https://svc.example';
  expect(allowedFor({ audience: null }, 'files', base)).toBe(true);
  expect(allowedFor({ audience: [`${base}/mcp/files`] }, 'files', base)).toBe(true);
  for (const audience of [[], [base], [`${base}/mcp`], [`${base}/mcp/filesystem`], [`${base}/mcp/files/`]])
    expect(allowedFor({ audience }, 'files', base)).toBe(false);
  expect(allowedFor({ audience: [`${base}/mcp`] }, null, base)).toBe(true);
  const oauth = await openOAuthTest();
  const { access_token } = await oauth.tokens(await oauth.client());
  for (const path of ['/mcp', '/mcp/svc']) {
    const refused = await oauth.withBearer(path, access_token, { method: 'POST', body: { jsonrpc: '2.0' } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"');
  }
  await oauth.app.close();
});
