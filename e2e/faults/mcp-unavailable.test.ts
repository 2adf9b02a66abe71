/** What MCP clients are told while PostgreSQL is gone, or takes no writes. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type McpTestServer, startMcp } from '../../server/src/mcp/mcp.fixture.ts';
import { NoServer, type OwnServer, ownPostgres } from '../servers.ts';
import { type Service, startService, until } from '../service.ts';
import { refuseWrites, takeWrites } from './read-only.ts';
import { message } from './without-database.ts';

let service: Service;
let postgres: OwnServer;
let missing = '';
const servers: McpTestServer[] = [];

beforeAll(async () => {
  try {
    postgres = await ownPostgres();
  } catch (error) {
    if (!(error instanceof NoServer)) throw error;
    missing = error.message;
    return console.log(`SKIPPED: MCP without a database (${missing})`);
  }
  const env = { DATABASE_URL: postgres.url, ALLOW_PRIVATE_WEBHOOKS: '1', LOG_LEVEL: 'fatal' };
  service = await startService({ env });
  await connect('one');
  await connect('two');
}, 300_000);
afterAll(async () => {
  await service?.stop();
  for (const server of servers) server.stop();
  await postgres?.remove();
});

async function connect(name: string): Promise<void> {
  const server = startMcp(['plain', 'priced', 'asked'].map((tool) => ({ name: tool })));
  servers.push(server);
  const { root } = service;
  const body = { name, url: server.url, audience: 'everyone' };
  const { id } = await root.api<{ id: number }>('/api/mcp/servers', { method: 'POST', body });
  const { tools } = await root.api<{ tools: { name: string; definition: string }[] }>(`/api/mcp/servers/${id}/test`, {
    method: 'POST',
  });
  const allowed = tools.map(({ name: tool, definition }) => ({
    ...{ name: tool, definition, ask_first: tool === 'asked', price: tool === 'priced' ? 5_000 : 0 },
  }));
  await root.api(`/api/mcp/servers/${id}/tools`, { method: 'PUT', body: { tools: allowed } });
}

const beginning = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
};
const call = (name: string, more = {}) => ({ method: 'tools/call', params: { name, arguments: {}, ...more } });
const revision = 'io.modelcontextprotocol/protocolVersion';
const newestMeta = { _meta: { [revision]: '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} } };

interface Asked {
  method: string;
  params?: object;
}
type Headers = Record<string, string>;

async function post(path: string, asked: Asked, headers: Headers, key: string) {
  const answer = await fetch(service.url + path, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...{ accept: 'application/json, text/event-stream', ...headers },
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, ...asked }),
  });
  const text = await answer.text();
  const { status } = answer;
  return { status, retryAfter: answer.headers.get('retry-after'), session: answer.headers.get('mcp-session-id'), text };
}

const inSession = async (path: string, key: string): Promise<Headers> => {
  const { session } = await post(path, beginning, {}, key);
  return { 'mcp-session-id': session!, 'mcp-protocol-version': '2025-11-25' };
};

/** The messages that need the database, whichever way they are answered. */
const messages = (tool: string): [what: string, Asked, Headers][] => [
  ['tools/list', { method: 'tools/list' }, {}],
  ['a plain call', call(tool), {}],
  ['a call that wants to hear of progress', call(tool, { _meta: { progressToken: 1 } }), {}],
  [
    'tools/list of the newest revision',
    { method: 'tools/list', params: newestMeta },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list', 'mcp-session-id': '' },
  ],
  [
    'a call of the newest revision',
    call(tool, newestMeta),
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': tool, 'mcp-session-id': '' },
  ],
];

const isResult = ({ text }: { text: string }): boolean => text.includes('"result"');

/** In the form of JSON-RPC, with the request's id if it was read. */
const unavailable = (id: 7 | null) => ({ jsonrpc: '2.0', id, error: { code: -32_603, message } });

async function expectUnavailable(what: string, sent: ReturnType<typeof post>): Promise<void> {
  const { status, retryAfter, text } = await sent;
  expect([what, status, text]).toEqual([what, 503, text]);
  expect(Number(retryAfter)).toBeGreaterThan(0);
  const body = JSON.parse(text);
  expect(body).toEqual(unavailable(body.id));
}

test('without the database every message that needs it is answered with 503', async () => {
  if (missing) return;
  const key = await (await service.user(10_000_000)).key();
  const sessions = { '/mcp': await inSession('/mcp', key), '/mcp/one': await inSession('/mcp/one', key) };
  const places = [
    ['/mcp', 'one__plain'],
    ['/mcp/one', 'plain'],
  ] as const;
  for (const [path, tool] of places)
    for (const [what, asked, headers] of messages(tool)) {
      const { status, text } = await post(path, asked, { ...sessions[path], ...headers }, key);
      expect([path, what, status, text]).toEqual([path, what, 200, expect.stringContaining('"result"')]);
    }
  await postgres.stop('crash');
  // What is remembered is trusted for a moment longer, and a plain call needs nothing else.
  for (const [path, tool] of places)
    await until('nothing is known', async () => !isResult(await post(path, call(tool), sessions[path], key)));
  for (const [path, tool] of places)
    for (const [what, asked, headers] of messages(tool))
      await expectUnavailable(`${path} ${what}`, post(path, asked, { ...sessions[path], ...headers }, key));
  await expectUnavailable('/mcp/one initialize', post('/mcp/one', beginning, {}, key));
  await postgres.start();
  await until('it is ready', async () => (await fetch(`${service.url}/readyz`)).ok);
}, 300_000);

test('while nothing can be written, no connected server is blamed for it', async () => {
  if (missing) return;
  const key = await (await service.user(10_000_000)).key();
  const session = await inSession('/mcp/one', key);
  await post('/mcp/one', call('plain'), session, key);
  await refuseWrites(postgres);
  await until('the loss is seen', async () => (await fetch(`${service.url}/readyz`)).status === 503);
  const before = servers.map(({ calls }) => calls.length);
  await expectUnavailable('a new session', post('/mcp/two', beginning, {}, key));
  await expectUnavailable('a call that begins one', post('/mcp/two', call('plain'), {}, key));
  await expectUnavailable('a call that is asked about', post('/mcp/one', call('asked'), session, key));
  expect(servers.map(({ calls }) => calls.length)).toEqual(before);
  await takeWrites(postgres);
  await until('it is ready', async () => (await fetch(`${service.url}/readyz`)).ok);
  // Nobody is left out for what was not their failure.
  const { text } = await post('/mcp', { method: 'tools/list' }, await inSession('/mcp', key), key);
  for (const tool of ['one__plain', 'two__plain']) expect(text).toContain(tool);
}, 300_000);
