import { afterAll, beforeAll, expect, test } from 'bun:test';
import { faultOf, jsonOf, openOAuthTest, type TestClient, type Tokens } from './oauth.fixture.ts';
import { askFor, leadsTo, type OpenidTest, openOpenidTest } from './openid/openid.fixture.ts';

let t: OpenidTest;
let client: TestClient;
let models: string;
let tools: string;
beforeAll(async () => {
  t = await openOpenidTest();
  client = await t.client();
  models = `${t.config.baseUrl}/v1`;
  tools = `${t.config.baseUrl}/mcp/notes`;
});
afterAll(() => t.close());

const audienceOf = async (token: string) => (await t.introspect(client, token)).aud;
const repeated = (uris: string[]) => new URLSearchParams(uris.map((uri) => ['resource', uri])).toString();
/** A form in which `resource` stands as often as there are addresses. */
const tokenRequest = async (fields: Record<string, string>, uris: string[]): Promise<Response> =>
  t.call('/api/oauth2/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `${new URLSearchParams({ client_id: client.clientId, client_secret: client.secret, ...fields })}&${repeated(uris)}`,
  });
const refreshed = (token: string, uris: string[]) =>
  tokenRequest({ grant_type: 'refresh_token', refresh_token: token }, uris);
const exchanged = (code: string, uris: string[]) =>
  tokenRequest({ grant_type: 'authorization_code', redirect_uri: client.redirectUri, code }, uris);

test('a token is valid for the requested resources, as introspection shows', async () => {
  const one = await t.tokens(client, { resource: models });
  expect(await audienceOf(one.access_token)).toBe(models);
  expect(await audienceOf(one.refresh_token)).toBe(models);
  const both = await t.tokens(client, { resource: [models, tools, models] });
  expect(await audienceOf(both.access_token)).toEqual([models, tools]);
  expect(await audienceOf((await t.tokens(client)).access_token)).toBeUndefined();
});

test('an exchange and a refresh can narrow the resources, and the grant keeps its own', async () => {
  const code = await t.code(client, { resource: [models, tools] });
  expect(await faultOf(exchanged(code, [`${t.config.baseUrl}/mcp`]))).toEqual([400, 'invalid_target']);
  const first = (await jsonOf(exchanged(code, [tools]))) as unknown as Tokens;
  expect(await audienceOf(first.access_token)).toBe(tools);
  const second = (await jsonOf(refreshed(first.refresh_token, [models]))) as unknown as Tokens;
  expect(await audienceOf(second.access_token)).toBe(models);
  expect(await faultOf(refreshed(second.refresh_token, [models, t.config.baseUrl]))).toEqual([400, 'invalid_target']);
  const third = (await jsonOf(refreshed(second.refresh_token, []))) as unknown as Tokens;
  expect(await audienceOf(third.access_token)).toEqual([models, tools]);
});

test('a grant without resources can be used for default resources, and for no others', async () => {
  const open = await t.tokens(client);
  const own = [models, t.config.baseUrl];
  const bound = (await jsonOf(refreshed(open.refresh_token, own))) as unknown as Tokens;
  expect(await audienceOf(bound.access_token)).toEqual(own);
  for (const beyond of [[tools], [models, tools], [`${t.config.baseUrl}/mcp`]]) {
    expect(await faultOf(refreshed(bound.refresh_token, beyond))).toEqual([400, 'invalid_target']);
    expect(await faultOf(exchanged(await t.code(client), beyond))).toEqual([400, 'invalid_target']);
  }
});

test('a token for another resource is rejected', async () => {
  const elsewhere = await t.tokens(client, { resource: [models, tools], scope: 'openid tokens:read' });
  for (const path of ['/api/oauth2/userinfo', '/api/oauth2/tokens']) {
    const refused = await t.withBearer(path, elsewhere.access_token);
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"');
    expect(await faultOf(refused)).toEqual([401, 'invalid_token']);
  }
  // As libraries write an address without a path.
  const here = await t.tokens(client, { resource: `${t.config.baseUrl}/`, scope: 'openid tokens:read' });
  expect(await audienceOf(here.access_token)).toBe(t.config.baseUrl);
  for (const path of ['/api/oauth2/userinfo', '/api/oauth2/tokens'])
    expect((await t.withBearer(path, here.access_token)).status).toBe(200);
  // What was seen here once is not believed elsewhere, nor the other way round.
  expect((await t.userinfo(elsewhere.access_token)).status).toBe(401);
});

test.each([
  'models',
  '/v1',
  'https://elsewhere.example/v1',
  '{base}/v1#part',
  '{base}/v1#',
  '{base}/v1?x=1',
  '{base}/v1/models',
  '{base}/v2',
  '{base}.evil.example/v1',
  '{base}@evil.example/v1',
  '{base}/mcp/a/b',
  '{base}/mcp/UPPER',
  `{base}/mcp/${'x'.repeat(25)}`,
  `{base}/${'x'.repeat(3000)}`,
])('%s is not a resource', async (given) => {
  const resource = given.replace('{base}', t.config.baseUrl);
  const asked = await leadsTo(t.member.call(askFor(client, { resource, state: 's' })));
  expect([asked.get('error'), asked.get('state')]).toEqual(['invalid_target', 's']);
  expect((await leadsTo(t.decide(client, { resource }))).get('error')).toBe('invalid_target');
  const code = await t.code(client);
  expect(await faultOf(exchanged(code, [resource]))).toEqual([400, 'invalid_target']);
});

test('equivalent spellings of an address are the same resource', async () => {
  const { access_token } = await t.tokens(client, { resource: `${t.config.baseUrl.toUpperCase()}/mcp/../v1/` });
  expect(await audienceOf(access_token)).toBe(models);
});

test('more than ten resources are rejected, and so are other repeated parameters', async () => {
  const many = Array.from({ length: 11 }, (_, n) => `${t.config.baseUrl}/mcp/s${n}`);
  expect((await leadsTo(t.decide(client, { resource: many }))).get('error')).toBe('invalid_target');
  const twice = await t.member.call(`${askFor(client)}&scope=email`);
  expect(twice.status).toBe(400);
  expect((await t.member.call(`${askFor(client)}&${repeated([models, tools])}`)).status).toBe(200);
});

test('a request with a resource always needs consent, even with an earlier one', async () => {
  const known = await t.client();
  await t.code(known, { scope: 'openid' });
  await t.act('verify', known.id);
  const plain = (await jsonOf(t.member.call(askFor(known)))).data;
  expect(plain).toMatchObject({ has_existing_consent: true, needs_reconsent: false, resources: [] });
  const asked = (await jsonOf(t.member.call(askFor(known, { resource: models })))).data;
  expect(asked).toMatchObject({ needs_reconsent: true, resources: [{ uri: models }] });
  const silent = await leadsTo(
    t.member.call('/api/oauth2/authorize/silent', {
      method: 'POST',
      body: {
        ...{ response_type: 'code', client_id: known.clientId, redirect_uri: known.redirectUri },
        ...{ scope: 'openid', prompt: 'none', resource: models },
      },
    }),
  );
  expect(silent.get('error')).toBe('consent_required');
});

test('without OpenID Connect, resource is ignored', async () => {
  const off = await openOAuthTest();
  const of = await off.client();
  const tokens = await off.tokens(of, { resource: 'https://elsewhere.example/' });
  expect(await off.introspect(of, tokens.access_token)).not.toHaveProperty('aud');
  expect((await off.member.call(`${askFor(of)}&resource=a&resource=b`)).status).toBe(400);
  expect((await jsonOf(off.member.call(askFor(of, { resource: 'a' })))).data).not.toHaveProperty('resources');
  await off.close();
});
