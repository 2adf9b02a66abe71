import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import type { Server } from '@modelcontextprotocol/server';
import { until } from '../../lib/until.fixture.ts';
import type { More, ScriptedTool } from '../mcp.fixture.ts';
import { newestPost } from './between.fixture.ts';
import { echo, type FrontTest, openFrontTest } from './front.fixture.ts';
import { isQuestion, isResult, named, rawClient, said } from './speaks.fixture.ts';

/* What servers of the 2025 revisions say by themselves, to clients that listen. */

let f: FrontTest;
beforeAll(async () => {
  f = await openFrontTest();
});
afterAll(() => f.t.close());
afterEach(() => f.tidy());

const uri = 'note://one';

/** A server whose note changes; each session has a server of its own. */
function noted() {
  const watching = new Map<Server, Set<string>>();
  const servers = new Set<Server>();
  const more: More = {
    capabilities: { resources: { subscribe: true, listChanged: true }, prompts: { listChanged: true }, logging: {} },
    set: (server) => {
      servers.add(server);
      const own = new Set<string>();
      watching.set(server, own);
      server.setRequestHandler('resources/subscribe', ({ params }) => {
        own.add(params.uri);
        return {};
      });
      server.setRequestHandler('resources/unsubscribe', ({ params }) => {
        own.delete(params.uri);
        return {};
      });
    },
  };
  const change = async () => {
    for (const [server, own] of watching)
      for (const one of own)
        await server.notification({ method: 'notifications/resources/updated', params: { uri: one } });
  };
  const everyone = async (method: string, params: object = {}) => {
    for (const server of servers) await server.notification({ method, params } as never).catch(() => {});
  };
  return { more, change, everyone, watching };
}

const subscribe = (method = 'resources/subscribe') => ({ jsonrpc: '2.0', id: method, method, params: { uri } });
const isUpdate = ({ method }: { method?: string | undefined }) => method === 'notifications/resources/updated';

test('a client receives what it subscribed to until it unsubscribes, and no other client does', async () => {
  const { more, change } = noted();
  const { name } = await f.connected(f.start([echo], 'sessions', false, more), { offers: ['resources', 'prompts'] });
  const [client, other] = [
    await rawClient(f.t, `/mcp/${name}`, f.key, {}),
    await rawClient(f.t, `/mcp/${name}`, f.key, {}),
  ];
  const [leaving, otherLeaving] = [new AbortController(), new AbortController()];
  const heard = await client.listen(f.t, leaving.signal);
  const elsewhere = await other.listen(f.t, otherLeaving.signal);
  expect([heard.status, elsewhere.status]).toEqual([200, 200]);
  const done = await client.post(subscribe());
  expect(await done.find('it is done', isResult)).toMatchObject({ result: {} });
  await change();
  expect(await heard.find('it is told', isUpdate)).toMatchObject({ params: { uri } });
  await (await client.post(subscribe('resources/unsubscribe'))).ended;
  await change();
  await (await other.post(subscribe())).ended;
  await change();
  await elsewhere.find('the other is told', isUpdate);
  expect(heard.messages.filter(isUpdate)).toHaveLength(1);
  leaving.abort();
  otherLeaving.abort();
});

test('notifications about things that are not passed on, or that concern only the gateway, are dropped', async () => {
  const { more, everyone } = noted();
  const { id, name } = await f.connected(f.start([echo], 'sessions', false, more), { offers: ['prompts'] });
  const client = await rawClient(f.t, `/mcp/${name}`, f.key, {});
  const leaving = new AbortController();
  const heard = await client.listen(f.t, leaving.signal);
  await everyone('notifications/resources/list_changed');
  await everyone('notifications/tools/list_changed');
  await everyone('notifications/nobody/knows');
  await everyone('notifications/prompts/list_changed');
  await heard.find('it is told', ({ method }) => method === 'notifications/prompts/list_changed');
  expect(heard.messages.map(({ method }) => method)).toEqual(['notifications/prompts/list_changed']);
  expect((await (await client.post(subscribe())).find('it is refused', isResult)).error).toMatchObject({
    code: -32_601,
  });
  leaving.abort();
  await f.admin.send('PUT', `/${id}`, { offers: ['resources'] });
  // Without a session there is nobody to tell.
  const unnamed = await f.post(`/mcp/${name}`, subscribe());
  expect(await unnamed.text()).toContain('-32601');
});

test('a caller who loses access receives nothing more, and others still do', async () => {
  const { more, everyone } = noted();
  const { name } = await f.connected(f.start([echo], 'sessions', false, more), { offers: ['prompts'] });
  const root = await f.t.root();
  const listening = async () => {
    const user = await f.t.user();
    const made = await user.call('/api/tokens', { method: 'POST', body: { name: 'k' } });
    const { data } = (await made.json()) as { data: { id: number; key: string } };
    return { user, keyId: data.id, heard: await (await rawClient(f.t, `/mcp/${name}`, data.key, {})).listen() };
  };
  const [revoked, disabled, deleted, other] = [
    await listening(),
    await listening(),
    await listening(),
    await listening(),
  ];
  await everyone('notifications/prompts/list_changed');
  for (const { heard } of [revoked, disabled, deleted, other])
    await heard.find('it is told', ({ method }) => method === 'notifications/prompts/list_changed');
  await revoked.user.call(`/api/tokens/${revoked.keyId}`, { method: 'DELETE' });
  await root.call(`/api/admin/users/${disabled.user.id}`, { method: 'PUT', body: { status: 2 } });
  await root.call(`/api/admin/users/${deleted.user.id}`, { method: 'DELETE' });
  await Promise.all([revoked, disabled, deleted].map(({ heard }) => heard.ended));
  await everyone('notifications/prompts/list_changed');
  await until('the other is told', () => other.heard.messages.length === 2);
});

test('clients are told that a server sends messages only if it does', async () => {
  const { more } = noted();
  const all = { offers: ['resources', 'prompts'] };
  const { name } = await f.connected(f.start([echo], 'sessions', true, more), all);
  const { client } = await f.clientOf(`/mcp/${name}`, 'legacy');
  expect(client.getServerCapabilities()).toMatchObject({
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
  });
  const { name: modern } = await f.connected(f.start([echo], 'modern', true, more), all);
  const { client: before } = await f.clientOf(`/mcp/${modern}`, 'legacy');
  expect(before.getServerCapabilities()).toMatchObject({ resources: {}, prompts: {} });
  expect(JSON.stringify(before.getServerCapabilities())).not.toMatch(/subscribe|listChanged/);
  const { name: quiet } = await f.connected(f.start([echo]));
  for (const path of [`/mcp/${modern}`, `/mcp/${quiet}`, '/mcp', '/mcp/svc']) {
    const raw = await rawClient(f.t, path, f.key, {});
    expect([path, (await raw.listen()).status]).toEqual([path, 405]);
  }
});

test('a missing or foreign session id receives nothing, and a client can listen at most twice', async () => {
  const { more } = noted();
  const { name } = await f.connected(f.start([echo], 'sessions', false, more));
  const headers = { authorization: `Bearer ${f.key}`, accept: 'text/event-stream' };
  expect((await f.t.call(`/mcp/${name}`, { headers })).status).toBe(400);
  expect((await f.t.call(`/mcp/${name}`, { headers: { ...headers, 'mcp-session-id': 'x' } })).status).toBe(404);
  expect((await f.t.call('/mcp/nobody', { headers })).status).toBe(404);
  expect((await f.t.call(`/mcp/${name}`)).status).toBe(401);
  const client = await rawClient(f.t, `/mcp/${name}`, f.key, {});
  const leaving = new AbortController();
  const first = await client.listen(f.t, leaving.signal);
  expect(first.status).toBe(200);
  const [second, third] = await Promise.all([client.listen(f.t, leaving.signal), client.listen(f.t, leaving.signal)]);
  expect(third.status).toBe(429);
  // The server has one for each session, and says so in its own time.
  await second.ended;
  leaving.abort();
  await until('there is room again', async () => {
    const again = new AbortController();
    const { status } = await client.listen(f.t, again.signal);
    again.abort();
    return status === 200;
  });
});

test('the client is told when the server has forgotten the session, and starts again', async () => {
  const { more } = noted();
  const server = f.start([echo], 'sessions', false, more);
  const { name } = await f.connected(server);
  const client = await rawClient(f.t, `/mcp/${name}`, f.key, {});
  server.sessions.clear();
  expect((await client.listen()).status).toBe(404);
});

/** Asks where the client listens, and not in the call. */
const asking = (servers: Set<Server>): ScriptedTool => ({
  name: 'aside',
  answer: async () => {
    const params = { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
    // The one of this call's session: those that lists are read in can be asked nothing.
    const able = [...servers].findLast((server) => server.getClientCapabilities()?.elicitation)!;
    const { content } = await able.elicitInput(params as never);
    return `Hello, ${(content as { name: string }).name}!`;
  },
});

test("a question may arrive where the client listens, and the call's timeout is paused", async () => {
  const servers = new Set<Server>();
  const more: More = { capabilities: {}, set: (server) => void servers.add(server) };
  const { name } = await f.connected(f.start([asking(servers)], 'sessions', false, more), { timeout_ms: 1_000 });
  const client = await rawClient(f.t, `/mcp/${name}`, f.key);
  const leaving = new AbortController();
  const heard = await client.listen(f.t, leaving.signal);
  const call = client.call('aside');
  const question = await heard.find('it is asked', isQuestion);
  await Bun.sleep(1_500);
  expect((await client.answer(question.id, named('Ada'))).status).toBe(202);
  expect(await (await call).find('it is answered', isResult)).toMatchObject(said('Hello, Ada!'));
  leaving.abort();
});

test('the combined endpoint has no listening stream; questions arrive in the call', async () => {
  const servers = new Set<Server>();
  const more: More = { capabilities: {}, set: (server) => void servers.add(server) };
  const { name } = await f.connected(f.start([asking(servers)], 'sessions', false, more), { timeout_ms: 1_000 });
  const client = await rawClient(f.t, '/mcp', f.key);
  const heard = await client.call(`${name}__aside`);
  const question = await heard.find('it is asked', isQuestion);
  await Bun.sleep(1_500);
  expect((await client.answer(question.id, named('Ada'))).status).toBe(202);
  expect(await heard.find('it is answered', isResult)).toMatchObject(said('Hello, Ada!'));
});

test.each(['legacy', 'auto'] as const)("a server's ping to a client (%s) is answered", async (mode) => {
  const servers = new Set<Server>();
  const seen = Promise.withResolvers<unknown>();
  const looks: ScriptedTool = {
    name: 'looks',
    answer: async () => {
      const able = [...servers].findLast((server) => server.getClientCapabilities()?.roots)!;
      seen.resolve(await able.ping());
      return 'still there';
    },
  };
  const more: More = { capabilities: {}, set: (server) => void servers.add(server) };
  const { name } = await f.connected(f.start([looks], 'sessions', false, more), { timeout_ms: 3_000 });
  const leaving = new AbortController();
  if (mode === 'legacy') {
    const client = await rawClient(f.t, `/mcp/${name}`, f.key, { roots: {} });
    await client.listen(f.t, leaving.signal);
    await (await client.call('looks')).find('it is answered', isResult);
  } else await newestPost(f.t, `/mcp/${name}`, f.key, { roots: {} }).call('looks');
  expect(await Promise.race([seen.promise, Bun.sleep(100)])).toEqual({});
  leaving.abort();
});

test('one caller cannot take all listening connections', async () => {
  const { more } = noted();
  const server = f.start([echo], 'sessions', false, more);
  const { name } = await f.connected(server);
  const leaving = new AbortController();
  const clients = await Promise.all(Array.from({ length: 101 }, () => rawClient(f.t, `/mcp/${name}`, f.key, {})));
  const all = await Promise.all(clients.map((client) => client.listen(f.t, leaving.signal)));
  expect(all.filter(({ status }) => status === 200)).toHaveLength(100);
  expect(all.filter(({ status }) => status === 429)).toHaveLength(1);
  const other = await rawClient(f.t, `/mcp/${name}`, await (await f.t.user()).key(), {});
  expect((await other.listen(f.t, leaving.signal)).status).toBe(200);
  leaving.abort();
});

test('shutdown ends listening connections', async () => {
  const { more } = noted();
  const { name } = await f.connected(f.start([echo], 'sessions', false, more));
  const client = await rawClient(f.t, `/mcp/${name}`, f.key, {});
  const heard = await client.listen();
  expect(heard.status).toBe(200);
  f.t.app.drain();
  await heard.ended;
});
