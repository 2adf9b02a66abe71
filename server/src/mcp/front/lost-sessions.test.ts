import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { type FrontTest, openFrontTest } from './front.fixture.ts';

/* Servers forget their sessions when they are restarted, and tell in many ways. */

let f: FrontTest;
beforeAll(async () => {
  f = await openFrontTest();
});
afterAll(() => f.t.close());
const ending: (() => void)[] = [];
afterEach(async () => {
  await f.tidy();
  for (const end of ending.splice(0)) end();
});

type Refusal = (id: unknown) => Response;
const rpc =
  (status: number, message: string, id?: unknown): Refusal =>
  (asked) =>
    Response.json({ jsonrpc: '2.0', id: id === undefined ? asked : id, error: { code: -32_000, message } }, { status });
const text =
  (status: number, words: string): Refusal =>
  () =>
    new Response(words, { status });

/** A server with sessions, which refuses those that it has forgotten. */
function startForgetful(refuse: Refusal) {
  const known = new Set<string>();
  const state = { calls: 0, opened: 0, refused: 0, restart: () => known.clear() };
  const answer = (method: string): object => {
    if (method === 'tools/list') return { tools: [{ name: 'one', inputSchema: { type: 'object' } }] };
    if (method === 'tools/call') state.calls += 1;
    return { content: [{ type: 'text', text: 'here' }] };
  };
  const listener = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      if (request.method !== 'POST') return new Response(null, { status: 405 });
      const { id, method } = (await request.json()) as { id?: unknown; method: string };
      if (method === 'server/discover') return rpc(400, 'Bad Request', null)(id);
      if (method === 'initialize') {
        state.opened += 1;
        const session = crypto.randomUUID();
        known.add(session);
        const serverInfo = { name: 'forgetful', version: '1' };
        const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
        return Response.json({ jsonrpc: '2.0', id, result }, { headers: { 'mcp-session-id': session } });
      }
      if (!known.has(request.headers.get('mcp-session-id') ?? '')) {
        state.refused += 1;
        return refuse(id);
      }
      if (id === undefined) return new Response(null, { status: 202 });
      return Response.json({ jsonrpc: '2.0', id, result: answer(method) });
    },
  });
  ending.push(() => void listener.stop(true));
  return Object.assign(state, { url: `http://127.0.0.1:${listener.port}/mcp` });
}

const call = (name: string, more: object = {}) =>
  f.post(
    `/mcp/${name}`,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'one', arguments: {}, ...more } },
    sent,
  );
const sent: Record<string, string> = { 'mcp-protocol-version': '2025-06-18' };
async function begin(name: string): Promise<void> {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const begun = await f.post(`/mcp/${name}`, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await begun.text();
  sent['mcp-session-id'] = begun.headers.get('mcp-session-id')!;
}

test.each<[how: string, refuse: Refusal]>([
  ['as specified', rpc(404, 'Session not found', null)],
  ['like examples of the TypeScript SDK', rpc(400, 'Bad Request: No valid session ID provided', null)],
  ['with a new transport', rpc(400, 'Bad Request: Server not initialized', null)],
  ['like the Python SDK', text(400, 'Bad Request: No valid session ID provided')],
  ['under a name of its own', rpc(400, 'Session not found', 'server-error')],
  ['like mcp-go', text(400, 'Invalid session ID\n')],
  ['like rmcp', text(401, 'Unauthorized: Session not found')],
])('a forgotten session, refused %s, is replaced, and the call is made once', async (_, refuse) => {
  const server = startForgetful(refuse);
  const { name } = await f.connected(server);
  await begin(name);
  // Past the library, and through it.
  for (const more of [{}, { _meta: { progressToken: 1 } }]) {
    expect(await (await call(name, more)).text()).toContain('here');
    const { calls, opened } = server;
    server.restart();
    expect(await (await call(name, more)).text()).toContain('here');
    expect(server.calls).toBe(calls + 1);
    expect(server.opened).toBeGreaterThan(opened);
    expect(await (await call(name, more)).text()).toContain('here');
  }
  server.restart();
  f.laterOn();
  const tools = await f.post(`/mcp/${name}`, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, sent);
  expect(await tools.text()).toContain('"one"');
});

test.each<[what: string, refuse: Refusal, told: string]>([
  ['an answer to the call', rpc(400, 'There is no such session in the database'), 'There is no such session'],
  ['any other refusal', rpc(400, 'Bad Request: the body is too odd', null), 'too odd'],
  ['a failure', text(500, 'the session store is away'), 'it returned status 500'],
  ['a missing credential', text(401, 'who are you?'), 'it returned status 401'],
])('%s does not end a session', async (_, refuse, told) => {
  const server = startForgetful(refuse);
  const { name } = await f.connected(server);
  await begin(name);
  await (await call(name)).text();
  const { opened, refused } = server;
  server.restart();
  expect(await (await call(name)).text()).toContain(told);
  expect([server.opened, server.refused]).toEqual([opened, refused + 1]);
});
