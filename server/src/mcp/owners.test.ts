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

test('a user connects, allows and uses a server that nobody else can see or use', async () => {
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

test('it is for its owner alone, of a bounded number, and only while the operator lets users', async () => {
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

test('no more come about when many are connected at once', async () => {
  const eager = await t.user();
  const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => create(eager, `eager-${n}`)));
  const made = answers.filter(({ status }) => status === 201).length;
  expect(made).toBeLessThanOrEqual(20);
  expect(await namesOf(eager)).toHaveLength(made);
});

test('what a user connected is exported without its headers, and goes with the user', async () => {
  const leaving = await t.user();
  await idOf(await create(leaving, 'leaving'));
  const text = await (await leaving.call('/api/user/self/export')).text();
  expect(text).toContain('"leaving"');
  expect(text).not.toContain(secret);
  const root = await t.root();
  expect((await root.call(`/api/admin/users/${leaving.id}`, { method: 'DELETE' })).status).toBe(200);
  await until('its server is gone', async () => !(await namesOf(root)).includes('leaving'));
});
