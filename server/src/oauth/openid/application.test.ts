import { afterAll, beforeAll, expect, test } from 'bun:test';
import { decodeProtectedHeader } from 'jose';
import { jsonOf, openOAuthTest } from '../oauth.fixture.ts';
import { leadsTo, type OpenidTest, openOpenidTest } from './openid.fixture.ts';

let t: OpenidTest;
beforeAll(async () => {
  t = await openOpenidTest();
});
afterAll(() => t.close());

const fields = {
  post_logout_redirect_uris: ['https://client.example/bye'],
  backchannel_logout_uri: 'https://client.example/logout',
  id_token_signed_response_alg: 'ES256',
  require_pushed_requests: true,
  dpop_bound_access_tokens: true,
  send_iss: false,
};
const usual = {
  post_logout_redirect_uris: [],
  backchannel_logout_uri: '',
  id_token_signed_response_alg: 'RS256',
  require_pushed_requests: false,
  dpop_bound_access_tokens: false,
  send_iss: true,
};
const put = (id: number, body: unknown) => t.owner.call(`/api/oauth2/applications/${id}`, { method: 'PUT', body });
const read = async (id: number) => (await jsonOf(t.owner.call(`/api/oauth2/applications/${id}`))).data;

test('OpenID settings of an application are set at creation or later, and logged', async () => {
  const made = await t.client(fields);
  expect(await read(made.id)).toMatchObject(fields);
  const plain = await t.client();
  expect(await read(plain.id)).toMatchObject(usual);
  expect((await jsonOf(put(plain.id, fields))).data).toMatchObject(fields);
  expect((await jsonOf(put(plain.id, { name: 'Renamed' }))).data).toMatchObject(fields);
  expect((await jsonOf(put(plain.id, usual))).data).toMatchObject(usual);
  const { data } = await jsonOf((await t.root()).call(`/api/admin/audit?action=app_updated&target=${plain.id}`));
  expect(data.logs.map((entry: { after: unknown }) => entry.after)).toContainEqual(fields);
});

test.each([
  { post_logout_redirect_uris: ['http://client.example/bye'] },
  { post_logout_redirect_uris: ['javascript:alert(1)'] },
  { post_logout_redirect_uris: ['https://client.example/*'] },
  { post_logout_redirect_uris: ['https://client.example/#x'] },
  { post_logout_redirect_uris: Array.from({ length: 11 }, (_, n) => `https://client.example/${n}`) },
  { backchannel_logout_uri: 'ftp://client.example/' },
  { backchannel_logout_uri: 'https://client.example/#x' },
  { backchannel_logout_uri: `https://client.example/${'x'.repeat(2000)}` },
  { id_token_signed_response_alg: 'none' },
  { id_token_signed_response_alg: 'HS256' },
  { dpop_bound_access_tokens: 1 },
  { require_pushed_requests: 'yes' },
  { send_iss: 'no' },
])('%j is rejected', async (wrong) => {
  const client = await t.client();
  expect((await put(client.id, wrong)).status).toBe(400);
  expect(await read(client.id)).toMatchObject(usual);
});

test('ID tokens are signed with the algorithm of the application', async () => {
  const { id_token } = await t.signIn(await t.client({ id_token_signed_response_alg: 'ES256' }));
  expect(decodeProtectedHeader(id_token)).toMatchObject({ alg: 'ES256' });
});

test('redirects omit iss if the application turned it off, also with an error', async () => {
  const [plain, quiet] = [await t.client(), await t.client({ send_iss: false })];
  expect((await leadsTo(t.decide(plain))).get('iss')).toBe(t.config.baseUrl);
  for (const approved of [true, false]) expect((await leadsTo(t.decide(quiet, { approved }))).has('iss')).toBe(false);
});

test('changing the post-logout address removes the verification', async () => {
  const client = await t.client();
  await t.act('verify', client.id);
  const { data } = await jsonOf(put(client.id, { post_logout_redirect_uris: ['https://client.example/bye'] }));
  expect(data.is_verified).toBe(false);
});

test('without OpenID Connect the fields are unknown, except for iss in redirects', async () => {
  const off = await openOAuthTest();
  const [client, plain] = [await off.client(fields), await off.client()];
  const shown = async ({ id }: { id: number }) => (await jsonOf(off.owner.call(`/api/oauth2/applications/${id}`))).data;
  const { send_iss, ...unknown } = fields;
  for (const name of Object.keys(unknown)) expect(await shown(client)).not.toHaveProperty(name);
  expect(await shown(client)).toMatchObject({ send_iss });
  expect(await shown(plain)).not.toHaveProperty('send_iss');
  for (const approved of [true, false])
    expect((await leadsTo(off.decide(client, { approved }))).has('iss')).toBe(false);
  expect((await leadsTo(off.decide(plain))).get('iss')).toBe(off.config.baseUrl);
  await off.setOption('OAuth2OpenIDConnect', true);
  expect(await shown(client)).toMatchObject({ ...usual, send_iss });
  await off.close();
});
