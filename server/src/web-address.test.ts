import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from './app.fixture.ts';
import { administration, startMcp } from './mcp/mcp.fixture.ts';
import { type SignedInServer, startSignedIn } from './mcp/signed-in.fixture.ts';
import { jsonOf } from './oauth/oauth.fixture.ts';

/** The API and the web app at two hosts, as the specification has it: cookies are those of the web app's host. */
const [baseUrl, webUrl] = ['https://api.gate.example', 'https://gate.example'];
let t: TestApp;
let root: Member;
let server: SignedInServer;
beforeAll(async () => {
  t = await openTestApp({
    env: { BASE_URL: baseUrl, WEB_URL: webUrl, OPENID_CONNECT: '1', ALLOW_PRIVATE_WEBHOOKS: '1' },
  });
  await t.setOption('RateLimitEnabled', false);
  root = await t.root();
  server = startSignedIn();
});
afterAll(async () => {
  server.stop();
  await t.close();
});

const locationOf = async (path: string, init: object): Promise<string> =>
  (await t.call(path, init)).headers.get('location')!;
const form = (fields: Record<string, string>) => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});
async function signInAt(name: string): Promise<URL> {
  const { id } = await administration(root).connect(name, server.url, { auth: 'oauth' });
  const begun = await jsonOf(root.call(`/api/mcp/servers/${id}/authorize`, { method: 'POST' }));
  return new URL(begun.data.authorization_url);
}
const discovered = async (name: string): Promise<string> =>
  (await jsonOf(t.call('/.well-known/openid-configuration')))[name];

const addresses: [what: string, find: () => Promise<string>][] = [
  ['the authorization page', () => discovered('authorization_endpoint')],
  ['the authorization page, after a form', () => locationOf('/oauth2/authorize', form({ client_id: 'x' }))],
  ['logging out for an application', () => discovered('end_session_endpoint')],
  ['logging out, after a form', () => locationOf('/api/oauth2/end_session', form({ state: 'x' }))],
  ['the page after logging out', () => locationOf('/api/oauth2/end_session', {})],
  [
    'the page for devices',
    async () => {
      const body = { name: 'Box', redirect_uris: ['https://box.example/'], scopes: 'openid', app_type: 'public' };
      const { data } = await jsonOf(root.call('/api/oauth2/applications', { method: 'POST', body }));
      const asked = form({ client_id: data.client_id });
      return (await jsonOf(t.call('/api/oauth2/device_authorization', asked))).verification_uri;
    },
  ],
  ['coming back from an MCP server', async () => (await signInAt('first')).searchParams.get('redirect_uri')!],
  [
    'coming back from an MCP server, as our document says',
    async () => (await jsonOf(t.call('/client-metadata.json'))).redirect_uris[0],
  ],
  [
    'coming back from an identity provider',
    async () => {
      const body = { slug: 'company', name: 'Company', issuer: 'https://id.example', client_id: 'svc' };
      return (await jsonOf(root.call('/api/admin/identity-providers', { method: 'POST', body }))).data.callback_url;
    },
  ],
  [
    'answering for a tool',
    async () => {
      const sums = startMcp([{ name: 'add' }]);
      const admin = administration(root);
      const { id } = await admin.connect('sums', sums.url);
      await admin.allow(id, undefined, ['add']);
      const asking = { signal: new AbortController().signal, approved: false };
      const { text } = await t.app.mcp.tools.call({ userId: root.id, keyId: null }, 'sums__add', {}, asking);
      sums.stop();
      return /https:\S+/.exec(text)![0];
    },
  ],
];

test.each(addresses)('a browser finds its session at the address of %s', async (_, find) => {
  expect(new URL(await find()).origin).toBe(webUrl);
});
