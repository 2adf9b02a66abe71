import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../../lib/until.fixture.ts';
import { costOfOne, openPayingTest, type PayingTest } from '../../oauth/paying.fixture.ts';
import { administration, connectClient, type McpTestServer, startMcp } from '../mcp.fixture.ts';
import { rawClient } from './speaks.fixture.ts';

/* Access tokens at /mcp: what they were asked for, and nothing else. */

let t: PayingTest;
let server: McpTestServer;
let base: string;
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

beforeAll(async () => {
  t = await openPayingTest({ ALLOW_PRIVATE_WEBHOOKS: '1' });
  await t.setOption('RateLimitEnabled', false);
  base = t.config.baseUrl;
  server = startMcp([{ name: 'note', answer: () => 'noted' }]);
  const admin = administration(await t.root());
  for (const name of ['files', 'notes']) await admin.allow((await admin.connect(name, server.url)).id);
});
afterAll(async () => {
  server.stop();
  await t.close();
});

const tokenFor = async (resource: string | string[] | undefined, scope = 'openid'): Promise<string> => {
  const fields = {
    scope,
    ...(resource !== undefined && { resource }),
    ...(scope !== 'openid' && { spending_limit: 8 }),
  };
  return (await t.tokens(await t.payingClient(), fields)).access_token;
};
const statusAt = async (path: string, headers: Record<string, string>) =>
  (
    await t.call(path, {
      method: 'POST',
      body: ping,
      headers: { accept: 'application/json, text/event-stream', ...headers },
    })
  ).status;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test('a token opens the address it was issued for', async () => {
  const token = await tokenFor(`${base}/mcp/files`);
  const { client } = await connectClient(t.app, '/mcp/files', token);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['note']);
  expect((await client.callTool({ name: 'note', arguments: {} })).content).toEqual([{ type: 'text', text: 'noted' }]);
  await client.close();
  const { client: both } = await connectClient(t.app, '/mcp', await tokenFor([`${base}/mcp`, `${base}/mcp/notes`]));
  expect((await both.listTools()).tools.map(({ name }) => name)).toEqual(['files__note', 'notes__note']);
  await both.close();
});

test("a token opens an organisation's server until the organisation ends", async () => {
  await t.setOption('McpUserServers', true);
  const made = async (path: string, body: object) => {
    const answer = await t.member.call(path, { method: 'POST', body });
    expect(answer.ok).toBe(true);
    return ((await answer.json()) as { data: { id: number; name: string } }).data;
  };
  const { id } = await made('/api/organisations', { name: 'Acme' });
  const { name, ...connected } = await made('/api/mcp/servers', {
    name: 'files',
    url: server.url,
    organisation_id: id,
  });
  await administration(t.member).allow(connected.id);
  const token = await tokenFor(`${base}/mcp/${name}`, `openid mcp:${name}:note`);
  const { client } = await connectClient(t.app, `/mcp/${name}`, token);
  expect((await client.callTool({ name: 'note', arguments: {} })).content).toEqual([{ type: 'text', text: 'noted' }]);
  await client.close();
  expect(await statusAt('/mcp/files', bearer(token))).toBe(401);
  expect(await statusAt(`/mcp/${name}`, bearer(await tokenFor(`${base}/mcp/files`)))).toBe(401);
  expect((await t.member.call(`/api/organisations/${id}`, { method: 'DELETE' })).status).toBe(200);
  expect(await statusAt(`/mcp/${name}`, bearer(token))).toBe(404);
});

test("listening ends when the application's consent ends", async () => {
  const speaking = startMcp([], 'sessions', false, { capabilities: { logging: {} }, set: () => {} });
  const admin = administration(await t.root());
  await admin.connect('says', speaking.url);
  const listening = async () => {
    const application = await t.payingClient();
    const { access_token } = await t.tokens(application, { scope: 'openid', resource: `${base}/mcp/says` });
    const client = await rawClient(t.app, '/mcp/says', access_token, {});
    return { id: application.id, heard: await client.listen() };
  };
  const [ended, other] = [await listening(), await listening()];
  expect([ended.heard.status, other.heard.status]).toEqual([200, 200]);
  let isOver = false;
  void other.heard.ended.then(() => {
    isOver = true;
  });
  await t.member.call(`/api/oauth2/consents/${ended.id}`, { method: 'DELETE' });
  await ended.heard.ended;
  expect(isOver).toBe(false);
  speaking.stop();
});

test('a token opens no other address, however it is sent and the address is written', async () => {
  const files = await tokenFor(`${base}/mcp/files`);
  const all = await tokenFor(`${base}/mcp`);
  expect(await statusAt('/mcp/files', bearer(files))).toBe(200);
  for (const path of ['/mcp', '/mcp/svc', '/mcp/notes', '/mcp?x=/mcp/files', '/mcp/note%73', '/mcp/nobody'])
    expect([path, await statusAt(path, bearer(files))]).toEqual([path, 401]);
  for (const path of ['/mcp/files', '/mcp/file%73', '/mcp/svc', '/mcp/%73vc'])
    expect([path, await statusAt(path, bearer(all))]).toEqual([path, 401]);
  const models = [await tokenFor(`${base}/v1`, 'openid models:use'), await tokenFor(undefined, 'openid models:use')];
  for (const token of [...models, await tokenFor(undefined), await tokenFor(base)])
    for (const [header, value] of [
      ['authorization', `Bearer ${token}`],
      ['authorization', token],
      ['x-api-key', token],
      ['api-key', token],
    ] as const)
      expect(await statusAt('/mcp/svc', { [header]: value })).toBe(401);
  const own = await tokenFor(`${base}/mcp/svc`, 'openid models:use');
  expect(await statusAt('/mcp/svc', bearer(own))).toBe(200);
  for (const path of ['/v1/models', '/api/oauth2/userinfo'])
    expect([path, (await t.withBearer(path, own)).status]).toEqual([path, 401]);
});

test('a 401 names the authorization metadata of that exact address', async () => {
  for (const path of ['/mcp', '/mcp/svc', '/mcp/files']) {
    const place = `resource_metadata="${base}/.well-known/oauth-protected-resource${path}"`;
    const without = await t.call(path, { method: 'POST', body: ping });
    expect([without.status, without.headers.get('www-authenticate')]).toEqual([401, `Bearer ${place}`]);
    const wrong = await t.withBearer(path, await tokenFor(`${base}/v1`), { method: 'POST', body: ping });
    const challenge = wrong.headers.get('www-authenticate');
    expect([wrong.status, challenge]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
    expect(challenge!.split(place)).toHaveLength(2);
  }
});

test("the built-in tools require a token that may spend, within the user's limit", async () => {
  const poor = await connectClient(t.app, '/mcp/svc', await tokenFor(`${base}/mcp/svc`));
  expect((await poor.client.listTools()).tools).toEqual([]);
  const ask = ({ client }: typeof poor) =>
    client.callTool({ name: 'ask_model', arguments: { model: 'm', message: 'Hello', max_tokens: 1 } });
  expect(await ask(poor)).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('models:use') }] });
  await poor.client.close();

  const client = await t.payingClient();
  const tokens = await t.mayPay(client, 500, { resource: `${base}/mcp/svc` });
  const paying = await connectClient(t.app, '/mcp/svc', tokens.access_token);
  expect((await paying.client.listTools()).tools.map(({ name }) => name)).toContain('ask_model');
  expect((await ask(paying)).content).toEqual([{ type: 'text', text: 'hello' }]);
  await until('it is spent', async () => (await t.consentOf(client)).spent === costOfOne);
  const costly = { model: 'm', message: 'x'.repeat(400), max_tokens: 1_000 };
  expect(await paying.client.callTool({ name: 'ask_model', arguments: costly })).toMatchObject({ isError: true });
  await paying.client.close();
});

test('each application has its own upstream sessions', async () => {
  await t.app.app.mcp.stop();
  const resource = `${base}/mcp/files`;
  const [one, two] = await Promise.all([tokenFor(resource), tokenFor(resource)]);
  const opened = server.opened;
  for (const token of [one, two, one, two]) {
    const { client } = await connectClient(t.app, '/mcp/files', token);
    await client.callTool({ name: 'note', arguments: {} });
    await client.close();
  }
  // And one for lists, which are the same for all.
  expect(server.opened).toBe(opened + 3);
});
