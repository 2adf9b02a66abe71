import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { openLog } from '../platform/log.ts';
import { administration, type RawAsked, startMcp, startRaw } from './mcp.fixture.ts';

/* Servers that hang, lie, flood and change. Each is told as what it is, within bounds, and nothing is called twice. */

let t: TestApp;
let user: Member;
let admin: ReturnType<typeof administration>;
let stops: (() => void)[] = [];
let logged = '';
let count = 0;
const secret = 'the-secret-of-this-server';

beforeAll(async () => {
  const log = openLog('debug', {
    write: (line) => {
      logged += line;
    },
  });
  t = await openTestApp({ log, env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  await t.setOption('RateLimitEnabled', false);
  user = await t.user();
  admin = administration(await t.root());
});
afterAll(() => t.close());
afterEach(() => {
  for (const stop of stops) stop();
  stops = [];
});

const nameOf = () => `h${++count}`;
const tool = (name: string, rest: object = {}) => ({ name, inputSchema: { type: 'object' }, ...rest });
const raw = (answer: Parameters<typeof startRaw>[0]) => {
  const server = startRaw(answer);
  stops.push(server.stop);
  return server;
};
const connect = (url: string, fields: object = {}) =>
  admin.connect(nameOf(), url, { headers: { 'x-key': secret }, ...fields });
const call = (name: string, signal = new AbortController().signal) =>
  t.app.mcp.tools.call({ userId: user.id, keyId: null }, name, {}, { signal, approved: true });
/** Lists one tool, and lets the test answer its call. */
const calling = (answer: (asked: RawAsked, request: Request) => Response | Promise<Response>) =>
  raw((asked, request) =>
    asked.method === 'tools/list' ? Response.json(asked.result({ tools: [tool('one')] })) : answer(asked, request),
  );
/** A server with that one tool allowed, and the call. */
async function called(server: { url: string }, fields: object = {}) {
  const { id, name } = await connect(server.url, fields);
  await admin.allow(id);
  return call(`${name}__one`);
}
const unknown = 'It is not known whether the tool did anything.';
const events = (...pieces: string[]) =>
  new Response(pieces.join(''), { headers: { 'content-type': 'text/event-stream' } });
const timesCalled = ({ asked }: { asked: string[] }) => asked.filter((method) => method === 'tools/call').length;

const broken: Record<string, [says: string, answer: (asked: RawAsked, request: Request) => Response]> = {
  'garbage instead of JSON': ['does not follow the protocol', () => new Response('<html>', json)],
  'JSON that is no answer': ['does not follow the protocol', () => Response.json([1, { a: 2 }])],
  'a result that is no result': [
    'does not follow the protocol',
    ({ result }) => Response.json(result({ content: 'all of it' })),
  ],
  'another type': ['does not follow the protocol', () => new Response('hello')],
  'a redirect': [
    'it redirects elsewhere; redirects are not followed',
    () => new Response(null, { status: 307, headers: { location: 'http://127.0.0.1:1/other' } }),
  ],
  'a redirect within its origin': [
    'it redirects elsewhere; redirects are not followed',
    (_, { url }) => new Response(null, { status: 308, headers: { location: `${url}/again` } }),
  ],
  'megabytes in JSON': [
    'larger than 1 MiB',
    ({ result }) => Response.json(result({ content: [{ type: 'text', text: 'x'.repeat(3_000_000) }] })),
  ],
  'megabytes in events': ['larger than 1 MiB', () => events(...Array(40).fill(`: ${'x'.repeat(50_000)}\n\n`))],
  'nesting without end': [
    'nested too deeply',
    () => new Response(`{"jsonrpc":"2.0","id":2,"result":${'['.repeat(100_000)}`, json),
  ],
  'events that end without an answer': ['closed the connection', () => events('data: {"half\n\n')],
  'an event that is half an answer': ['closed the connection', () => events('data: {"jsonrpc":"2.0","id"')],
  'an error that repeats our secret': [
    'unknown key [redacted]',
    ({ id }) =>
      Response.json({
        jsonrpc: '2.0',
        id,
        error: { code: -32_000, message: `unknown key ${secret} ${'y'.repeat(9_000)}` },
      }),
  ],
  'status 500': ['it returned status 500', () => new Response(`${secret} at line 7`, { status: 500 })],
  'status 404 without a session': ['it returned status 404', () => new Response('', { status: 404 })],
};
const json = { headers: { 'content-type': 'application/json' } };

test.each(Object.keys(broken))('a call answered with %s fails with that reason and is not repeated', async (kind) => {
  const [says, answer] = broken[kind]!;
  const server = calling(answer);
  const outcome = await called(server);
  expect([outcome.isError, outcome.cut]).toEqual([true, false]);
  expect(outcome.text).toContain(says);
  expect(outcome.text).toContain(unknown);
  expect(outcome.text.length).toBeLessThan(1_000);
  expect(timesCalled(server)).toBe(1);
  expect(outcome.text + logged).not.toContain(secret);
});

test("a call that hangs before or during its response ends at the server's timeout", async () => {
  const begun = () =>
    new Response(new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode(': wait\n\n')) }), {
      headers: { 'content-type': 'text/event-stream' },
    });
  const hangs = async (answer: () => Response | Promise<Response>) => {
    const server = calling(answer);
    // Long enough for a busy machine to connect and list.
    const { id, name } = await connect(server.url);
    await admin.allow(id);
    expect((await t.app.mcp.tools.list(user.id)).some((one) => one.name === `${name}__one`)).toBe(true);
    await admin.send('PUT', `/${id}`, { timeout_ms: 3_000 });
    const outcome = await call(`${name}__one`);
    expect(outcome).toMatchObject({ isError: true, text: expect.stringContaining('did not respond in time') });
    expect(timesCalled(server)).toBeLessThanOrEqual(1);
  };
  await Promise.all([hangs(() => new Promise<Response>(() => {})), hangs(begun)]);
}, 60_000);

test('a call is not repeated when its connection breaks', async () => {
  let calls = 0;
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data: (socket, bytes) => {
        const text = bytes.toString();
        if (text.includes('"tools/call"')) {
          calls += 1;
          return void socket.end();
        }
        const id = /"id":(\d+|"[^"]*")/.exec(text)?.[1];
        const serverInfo = { name: 'breaking', version: '1' };
        const result = text.includes('"initialize"')
          ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }
          : { tools: [tool('one')] };
        const refused = text.includes('server/discover');
        const body = id && !refused ? `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}` : '';
        const status = refused ? '400 Bad Request' : body ? '200 OK' : '202 Accepted';
        socket.end(
          `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
        );
      },
    },
  });
  stops.push(() => listener.stop(true));
  const outcome = await called({ url: `http://127.0.0.1:${listener.port}/mcp` });
  expect(outcome).toMatchObject({ isError: true, text: expect.stringContaining(unknown) });
  expect(calls).toBe(1);
});

test('a call that the newest protocol allows repeating is not repeated', async () => {
  // Headers that do not match: a client may ask for the list again, and call again.
  const mismatch = Object.assign(new Error('mismatch'), { code: -32_020 });
  const server = startMcp(
    [
      {
        name: 'one',
        answer: () => {
          throw mismatch;
        },
      },
    ],
    'modern',
  );
  stops.push(server.stop);
  const outcome = await called(server);
  expect(outcome.text).toContain('mismatch');
  expect(server.calls).toHaveLength(1);
});

test('a server that ends every session is tried only twice', async () => {
  let calls = 0;
  const server = startMcp([{ name: 'one' }]);
  stops.push(server.stop);
  const { id, name } = await connect(server.url);
  await admin.allow(id);
  await t.app.mcp.tools.list(user.id);
  const forgetting = server.sessions.get.bind(server.sessions);
  server.sessions.get = (session) => {
    calls += 1;
    return server.calls.length > 5 ? forgetting(session) : undefined;
  };
  expect(await call(`${name}__one`)).toMatchObject({
    isError: true,
    text: expect.stringContaining('ended the session'),
  });
  // Each of the two, and the news that its session began.
  expect(calls).toBeLessThanOrEqual(6);
  expect(server.calls).toEqual([]);
});

const lists: Record<string, [answer: (asked: RawAsked) => unknown, says: RegExp]> = {
  'no list': [() => ({ tools: 'many' }), /does not follow the protocol/],
  'a list of megabytes': [() => ({ tools: [tool('a', { description: 'x'.repeat(2_000_000) })] }), /larger than 1 MiB/],
};
test.each(Object.keys(lists))('testing a server with %s fails with the reason', async (kind) => {
  const [answer, says] = lists[kind]!;
  const server = raw((asked) => Response.json(asked.result(answer(asked))));
  const { id } = await connect(server.url);
  expect(await admin.test(id)).toMatchObject({ ok: false, error: expect.stringMatching(says), tools: [] });
});

test('listing stops at thousands of tools, repeating cursors and endless pages', async () => {
  const many = raw(({ result }) =>
    Response.json(result({ tools: Array.from({ length: 5_000 }, (_, i) => tool(`t${i}`)) })),
  );
  const round = raw(({ result, params }) =>
    Response.json(result({ tools: [], nextCursor: params.cursor === 'a' ? 'b' : 'a' })),
  );
  let page = 0;
  const endless = raw(({ result }) => Response.json(result({ tools: [tool(`p${page}`)], nextCursor: `${page++}` })));
  const shown = [];
  for (const { url } of [many, round, endless]) shown.push(await admin.test((await connect(url)).id));
  expect(shown.map(({ ok, cut, tools }) => [ok, cut, tools.length])).toEqual([
    [true, true, 500],
    [true, true, 0],
    [true, true, 50],
  ]);
  expect(round.asked.filter((method) => method === 'tools/list')).toHaveLength(3);
});

test('tools that cannot be offered are shown with the reason and cannot be allowed', async () => {
  const deep = JSON.parse(`${'{"properties":{"a":'.repeat(40)}{}${'}}'.repeat(40)}`);
  const server = raw(({ result }) =>
    Response.json(
      result({
        tools: [
          tool('good'),
          tool('long', { description: 'x'.repeat(9_000) }),
          tool('deep', { inputSchema: { ...deep, type: 'object' } }),
          tool('huge', { inputSchema: { type: 'object', title: 'x'.repeat(40_000) } }),
          tool('listy', { inputSchema: { type: 'array' } }),
          tool('hidden', { description: 'Adds.\u{e0041}\u{e0042}' }),
          tool('within', { inputSchema: { type: 'object', title: 'a\u200bb' } }),
          tool('twice', { description: 'one' }),
          tool('twice', { description: 'another' }),
          tool('a.b'),
          tool('a/b'),
          { name: 'no schema' },
          tool('x'.repeat(200)),
          tool('nul\u0000'),
          'no tool at all',
        ],
      }),
    ),
  );
  const { id, name } = await connect(server.url);
  const { tools } = await admin.test(id);
  const problems = Object.fromEntries(tools.map((one) => [one.name, one.problem]));
  expect(problems).toEqual({
    good: null,
    'a.b': null,
    'a/b': null,
    long: expect.stringContaining('description has more than'),
    deep: expect.stringContaining('nested deeper'),
    huge: expect.stringContaining('schema has more than'),
    listy: expect.stringContaining('does not describe an object'),
    hidden: expect.stringContaining('invisible characters'),
    within: expect.stringContaining('invisible characters'),
    twice: expect.stringContaining('more than once'),
  });
  const definition = tools[0]!.definition;
  for (const wrong of ['long', 'deep', 'twice', 'absent'])
    await expect(admin.send('PUT', `/${id}/tools`, { tools: [{ name: wrong, definition }] })).rejects.toThrow(/^400 /);
  await admin.allow(id);
  const offered = (await t.app.mcp.tools.list(user.id)).map((one) => one.name);
  const mine = offered.filter((one) => one.startsWith(`${name}__`));
  expect(mine).toHaveLength(3);
  expect(new Set(mine).size).toBe(3);
  for (const one of mine) expect(one).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
});

test('an altered name yields to the tool that really has it', async () => {
  const first = raw(({ result }) => Response.json(result({ tools: [tool('a.b')] })));
  const { id, name } = await connect(first.url);
  const altered = (await admin.test(id)).tools[0]!.offered_as.slice(name.length + 2);
  const second = raw(({ result }) => Response.json(result({ tools: [tool('a.b'), tool(altered)] })));
  await admin.send('PUT', `/${id}`, { url: second.url, headers: {} });
  expect((await admin.test(id)).tools.map((one) => one.problem)).toEqual([
    expect.stringContaining("the same as another tool's"),
    null,
  ]);
});

test('an unreachable server does not hide the tools of the others', async () => {
  const good = startMcp([{ name: 'one' }]);
  const away = startMcp([{ name: 'one' }]);
  stops.push(good.stop);
  const [fine, gone] = [await connect(good.url), await connect(away.url)];
  await admin.allow(fine.id);
  await admin.allow(gone.id);
  away.stop();
  await admin.send('PUT', `/${gone.id}`, { timeout_ms: 5_000 });
  const offered = (await t.app.mcp.tools.list(user.id)).map((one) => one.name);
  expect(offered).toContain(`${fine.name}__one`);
  expect(offered).not.toContain(`${gone.name}__one`);
  const outcome = await call(`${gone.name}__one`);
  expect(outcome.isError).toBe(true);
  expect(outcome.text).toContain('The tool was not called.');
  // Where the server stands is the operator's business.
  expect(outcome.text).not.toContain('127.0.0.1');
  expect((await admin.test(gone.id)).error).toContain('could not be reached');
  expect(logged).not.toContain(secret);
});
