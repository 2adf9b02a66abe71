import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openPayingTest, type PayingTest } from '../../oauth/paying.fixture.ts';
import { administration, approvalsOf, connectClient, type McpTestServer, startMcp } from '../mcp.fixture.ts';

/* Whoever approves a call sees which of the user's programs asks for it, and approves it for that one only. */

let t: PayingTest;
let server: McpTestServer;
let key: string;

beforeAll(async () => {
  t = await openPayingTest({ ALLOW_PRIVATE_WEBHOOKS: '1' });
  await t.setOption('RateLimitEnabled', false);
  server = startMcp([{ name: 'wipe', answer: () => 'wiped' }]);
  const admin = administration(await t.root());
  await admin.allow((await admin.connect('disk', server.url)).id, undefined, ['wipe']);
  key = await t.member.key({ name: 'Laptop' });
});
afterAll(async () => {
  server.stop();
  await t.close();
});

const through = async (credential: string) => {
  const { client } = await connectClient(t.app, '/mcp/disk', credential);
  return {
    wipe: async () => JSON.stringify((await client.callTool({ name: 'wipe', arguments: {} })).content),
    close: () => client.close(),
  };
};

test('an application, a key and a page ask each for itself', async () => {
  const { waiting, answer } = approvalsOf(t.member);
  const { access_token: token } = await t.tokens(await t.payingClient(), {
    scope: 'openid',
    resource: `${t.config.baseUrl}/mcp/disk`,
  });
  const [application, laptop] = [await through(token), await through(key)];
  const page = () => t.app.app.mcp.tools.call({ userId: t.member.id, keyId: null }, 'disk__wipe', {}, how);
  const how = { signal: new AbortController().signal, approved: false };
  for (const asked of [await application.wipe(), await laptop.wipe(), (await page()).text])
    expect(asked).toContain('approval');
  const asking = await waiting();
  expect(asking.map(({ asked_by }) => asked_by?.type).sort()).toEqual(['api_key', 'application', 'session']);
  const of = (type: string) => asking.find(({ asked_by }) => asked_by?.type === type)!;
  expect(of('api_key').asked_by).toEqual({ type: 'api_key', id: expect.any(Number), name: 'Laptop' });
  expect(of('application').asked_by).toMatchObject({ id: expect.any(Number), name: expect.stringMatching(/./) });
  expect(of('session').asked_by).toEqual({ type: 'session', id: null, name: null });

  expect((await answer(of('application').id)).status).toBe(200);
  expect(await laptop.wipe()).toContain('approval');
  expect((await page()).text).toContain('approval');
  expect(await application.wipe()).toContain('wiped');
  expect(server.calls).toHaveLength(1);

  const { id } = of('api_key').asked_by!;
  // A deleted key has no name any more.
  expect((await t.member.call(`/api/tokens/${id}`, { method: 'DELETE' })).status).toBe(200);
  const left = (await waiting()).find(({ asked_by }) => asked_by?.type === 'api_key');
  expect(left?.asked_by).toEqual({ type: 'api_key', id, name: null });
  await application.close();
  await laptop.close();
});
