import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { until } from '../lib/until.fixture.ts';
import { administration, connectClient, type McpTestServer, startMcp } from './mcp.fixture.ts';

let t: TestApp;
let user: Member;
let other: Member;
let server: McpTestServer;
const base = '/api/mcp/servers';
const secret = 'the-secret-of-the-user';

beforeAll(async () => {
  t = await openTestApp({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  await t.setOption('RateLimitEnabled', false);
  await t.setOption('McpUserServers', true);
  await t.app.start();
  [user, other] = [await t.user(), await t.user()];
  server = startMcp([{ name: 'note', answer: () => 'noted' }]);
});
afterAll(async () => {
  server.stop();
  await t.close();
});

const create = (by: Member, name: string, fields: object = {}) =>
  by.call(base, { method: 'POST', body: { name, url: server.url, headers: { 'x-key': secret }, ...fields } });
const idOf = async (answer: Response): Promise<number> => {
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { data: { id: number } }).data.id;
};
const namesOf = async (by: Member): Promise<string[]> => {
  const { data } = (await (await by.call(`${base}?page_size=100`)).json()) as { data: { servers: { name: string }[] } };
  return data.servers.map(({ name }) => name);
};
/** What the owner of a server does before it is used; the same as an administrator. */
async function allowAll(by: Member, id: number): Promise<void> {
  await administration(by).allow(id);
}

test('a user connects, allows and uses a server that no one else can see or use', async () => {
  const id = await idOf(await create(user, 'mine'));
  await allowAll(user, id);
  const { client } = await connectClient(t, '/mcp/mine', await user.key());
  const said = await client.callTool({ name: 'note', arguments: {} });
  expect(said.content).toEqual([{ type: 'text', text: 'noted' }]);
  expect(server.heard.at(-1)!.get('x-key')).toBe(secret);
  await client.close();
  expect((await t.app.mcp.tools.list(user.id)).map(({ name }) => name)).toEqual(['mine__note']);

  expect(await t.app.mcp.tools.list(other.id)).toEqual([]);
  await expect(connectClient(t, '/mcp/mine', await other.key())).rejects.toThrow();
  expect([await namesOf(user), await namesOf(other)]).toEqual([['mine'], []]);
  for (const [method, path, body] of [
    ['GET', ''],
    ['PUT', '', { enabled: false }],
    ['DELETE', ''],
    ['POST', '/test'],
    ['PUT', '/tools', { tools: [] }],
    ['POST', '/tools/note/approve', { definition: 'a'.repeat(64) }],
  ] as const)
    expect((await other.call(`${base}/${id}${path}`, { method, body })).status).toBe(404);
  // Who runs the service sees what is connected to it, and can end it.
  const root = await t.root();
  expect(await namesOf(root)).toContain('mine');
  expect((await root.call(`${base}/${id}`, { method: 'DELETE' })).status).toBe(200);
  expect(await namesOf(user)).toEqual([]);
});

test("a name conflicts only with the operator's servers and one's own", async () => {
  const [ann, ben] = [await t.user(), await t.user()];
  const theirs = startMcp([{ name: 'note', answer: () => 'noted by ben' }]);
  const root = administration(await t.root());
  const said = async (by: Member, path = '/mcp/hub', tool = 'note') => {
    const { client } = await connectClient(t, path, await by.key());
    const { content } = await client.callTool({ name: tool, arguments: {} });
    await client.close();
    return (content as { text: string }[])[0]!.text;
  };
  const anns = await idOf(await create(ann, 'hub'));
  await allowAll(ann, anns);
  const bens = await idOf(await create(ben, 'hub', { url: theirs.url }));
  await allowAll(ben, bens);
  expect((await create(ann, 'hub')).status).toBe(409);
  // Twice: cold, and from what is remembered.
  for (let times = 0; times < 2; times += 1) {
    expect([await said(ann), await said(ben)]).toEqual(['noted', 'noted by ben']);
    expect(await said(ben, '/mcp', 'hub__note')).toBe('noted by ben');
  }
  expect([await namesOf(ann), await namesOf(ben)]).toEqual([['hub'], ['hub']]);
  expect(await (await ann.call('/api/user/self/export')).text()).toContain('"name":"hub"');
  const wide = await root.send<{ servers: { id: number; name: string; owner_id: number }[] }>('GET', '?page_size=100');
  expect(wide.servers.filter(({ name }) => name === 'hub').map(({ owner_id }) => owner_id)).toEqual([ann.id, ben.id]);
  await ben.call(`${base}/${bens}`, { method: 'PUT', body: { timeout_ms: 9_000 } });
  expect(await said(ben)).toBe('noted by ben');

  // Nobody keeps a name from the operator: whoever has a server of that name goes on with their own.
  const operators = startMcp([{ name: 'note', answer: () => 'noted for all' }]);
  const { id } = await root.connect('hub', operators.url);
  await root.allow(id);
  const late = await t.user();
  expect((await create(late, 'hub')).status).toBe(409);
  expect([await said(ann), await said(late)]).toEqual(['noted', 'noted for all']);
  expect((await t.app.mcp.tools.list(ann.id)).map(({ name }) => name)).toEqual(['hub__note']);
  expect((await ann.call(`${base}/${anns}`, { method: 'DELETE' })).status).toBe(200);
  expect([await said(ann), await said(ben)]).toEqual(['noted for all', 'noted by ben']);
  await root.send('DELETE', `/${id}`);
  await expect(said(ann)).rejects.toThrow();
  expect(await said(ben)).toBe('noted by ben');
  theirs.stop();
  operators.stop();
});

test('a server from the time of global names stays with its owner', async () => {
  const [old, later] = [await t.user(), await t.user()];
  const id = await idOf(await create(old, 'before'));
  await allowAll(old, id);
  const { db } = t.platform.database;
  await db.updateTable('mcp_servers').set({ name: 'before' }).where('id', '=', id).execute();
  await t.app.mcp.room.known.changed(id);
  const { client } = await connectClient(t, '/mcp/before', await old.key());
  expect((await client.listTools()).tools).toHaveLength(1);
  await client.close();
  expect((await create(old, 'before')).status).toBe(409);
  expect((await create(later, 'before')).status).toBe(201);
  await expect(connectClient(t, '/mcp/before', await (await t.root()).key())).rejects.toThrow();
  expect((await old.call(`${base}/${id}`, { method: 'PUT', body: { timeout_ms: 9_000 } })).status).toBe(200);
  expect(await namesOf(old)).toEqual(['before']);
});

test("a user's server is only for its owner, limited in number, and needs the operator's permission", async () => {
  expect((await create(user, 'shared', { audience: 'everyone' })).status).toBe(400);
  expect((await create(user, 'shared', { user_ids: [other.id] })).status).toBe(400);
  const id = await idOf(await create(user, 'kept'));
  const shared = await user.call(`${base}/${id}`, { method: 'PUT', body: { audience: 'everyone' } });
  expect(shared.status).toBe(400);
  for (let more = 1; more < 20; more += 1) await idOf(await create(user, `kept-${more}`));
  expect((await create(user, 'one-too-many')).status).toBe(409);
  await t.setOption('McpUserServers', false);
  expect((await create(other, 'not-now')).status).toBe(403);
  expect((await user.call(base)).status).toBe(403);
  await t.setOption('McpUserServers', true);
});

test('the limit holds when many servers are connected at once', async () => {
  const eager = await t.user();
  const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => create(eager, `eager-${n}`)));
  const made = answers.filter(({ status }) => status === 201).length;
  expect(made).toBeLessThanOrEqual(20);
  expect(await namesOf(eager)).toHaveLength(made);
});

test("a user's servers are exported without headers, and deleted with the user", async () => {
  const leaving = await t.user();
  await idOf(await create(leaving, 'leaving'));
  const text = await (await leaving.call('/api/user/self/export')).text();
  expect(text).toContain('"leaving"');
  expect(text).not.toContain(secret);
  const root = await t.root();
  expect((await root.call(`/api/admin/users/${leaving.id}`, { method: 'DELETE' })).status).toBe(200);
  await until('its server is gone', async () => !(await namesOf(root)).includes('leaving'));
});
