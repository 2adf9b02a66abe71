import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { sha256Hex } from '../../lib/hashing.ts';
import { deviceGrant } from '../device/codes.ts';
import { tokenExchangeGrant } from '../grants/actor.ts';
import { faultOf, jsonOf, type TestClient } from '../oauth.fixture.ts';
import { askFor, leadsTo, type OpenidTest, openOpenidTest } from '../openid/openid.fixture.ts';
import { changeClient, ownClient } from './register.ts';
import { openClientSweep } from './sweep.ts';

/* Programs that register themselves (RFC 7591) and look after what they said (RFC 7592). */

let t: OpenidTest;
beforeAll(async () => {
  t = await openOpenidTest();
});
afterAll(() => t.close());
beforeEach(() => t.setOption('OAuth2DynamicRegistration', true));

const endpoint = '/api/oauth2/register';
const callback = 'https://self.example/callback';
type Fields = Record<string, unknown>;
const register = (fields: Fields = {}, token?: string) =>
  t.call(endpoint, {
    method: 'POST',
    body: { client_name: 'Some program', redirect_uris: [callback], ...fields },
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
  });
const registered = async (fields: Fields = {}) => {
  const answer = await register(fields);
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
  return jsonOf(answer);
};
const manage = (client: Fields, method: string, body?: Fields, token = client.registration_access_token) =>
  t.call(`${endpoint}/${client.client_id}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body && { body }),
  });
const asClient = (client: Fields): TestClient => ({
  id: 0,
  clientId: client.client_id as string,
  secret: (client.client_secret as string | undefined) ?? '',
  redirectUri: callback,
});
const rowOf = ({ client_id }: Fields) =>
  t.platform.database.db
    .selectFrom('oauth_applications')
    .selectAll()
    .where('client_id', '=', client_id as string)
    .executeTakeFirst();

test('a program registers itself, with or without a secret, and signs a user in', async () => {
  const secret = await registered();
  // A copy: the test runner puts its matchers in place of what they matched.
  expect({ ...secret }).toMatchObject({
    ...{ client_name: 'Some program', redirect_uris: [callback], token_endpoint_auth_method: 'client_secret_basic' },
    ...{ client_secret: expect.stringMatching(/^svcsec_/), client_secret_expires_at: 0 },
    registration_client_uri: `${t.config.baseUrl}${endpoint}/${secret.client_id}`,
  });
  const open = await registered({ token_endpoint_auth_method: 'none', scope: 'openid email nonsense' });
  expect(open).toMatchObject({ token_endpoint_auth_method: 'none', scope: 'openid email' });
  expect(open).not.toHaveProperty('client_secret');
  for (const client of [secret, open].map(asClient)) {
    const tokens = await t.tokens(client, { scope: 'openid' });
    expect((await t.userinfo(tokens.access_token)).status).toBe(200);
    expect((await t.refresh(client, tokens.refresh_token)).status).toBe(200);
  }
  const { data } = await jsonOf(t.member.call(askFor(asClient(secret))));
  expect(data.application).toMatchObject({ source: 'registration', is_verified: false });
  expect(data.application).not.toHaveProperty('host');
  // Neither its secret nor its token is kept.
  const row = JSON.stringify(await rowOf(secret));
  for (const kept of [secret.client_secret, secret.registration_access_token]) expect(row).not.toContain(kept);
  const { data: log } = await jsonOf(
    (await t.root()).call(`/api/oauth2/admin/audit?event_type=app_created&application_id=${data.application.id}`),
  );
  expect(log.logs).toMatchObject([{ user_id: null, ip_address: expect.any(String) }]);
});

test.each([
  [{ redirect_uris: undefined }, 'invalid_redirect_uri'],
  [{ redirect_uris: [] }, 'invalid_redirect_uri'],
  [{ redirect_uris: callback }, 'invalid_redirect_uri'],
  [{ redirect_uris: ['http://self.example/callback'] }, 'invalid_redirect_uri'],
  [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
  [{ redirect_uris: [`${callback}#x`] }, 'invalid_redirect_uri'],
  [{ redirect_uris: Array.from({ length: 11 }, (_, n) => `${callback}/${n}`) }, 'invalid_redirect_uri'],
  [{ client_name: '' }, 'invalid_client_metadata'],
  [{ client_name: 'My\u202ebank' }, 'invalid_client_metadata'],
  [{ client_name: 'x'.repeat(65) }, 'invalid_client_metadata'],
  [{ client_name: { toString: 'x' } }, 'invalid_client_metadata'],
  [{ token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
  [{ grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
  // Which grant is not offered is told, and no address is asked for that it would not use.
  [{ grant_types: ['client_credentials'], redirect_uris: undefined }, 'invalid_client_metadata'],
  [{ grant_types: ['refresh_token'], redirect_uris: undefined }, 'invalid_client_metadata'],
  [{ grant_types: [], redirect_uris: undefined }, 'invalid_client_metadata'],
  [{ grant_types: ['authorization_code', deviceGrant], redirect_uris: [] }, 'invalid_redirect_uri'],
  [{ grant_types: [deviceGrant], redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
  [{ grant_types: [deviceGrant], response_types: ['token'], redirect_uris: undefined }, 'invalid_client_metadata'],
  [{ response_types: ['token'] }, 'invalid_client_metadata'],
  [{ scope: ['openid'] }, 'invalid_client_metadata'],
  [{ id_token_signed_response_alg: 'none' }, 'invalid_client_metadata'],
  [{ dpop_bound_access_tokens: 'true' }, 'invalid_client_metadata'],
  [{ require_pushed_authorization_requests: 1 }, 'invalid_client_metadata'],
  [{ backchannel_logout_uri: 'javascript:alert(1)' }, 'invalid_client_metadata'],
  [{ backchannel_logout_uri: `${callback}#x` }, 'invalid_client_metadata'],
] as [Fields, string][])('%j is rejected as %s', async (fields, error) => {
  expect(await faultOf(register(fields))).toEqual([400, error]);
});

test.each([
  { grant_types: [deviceGrant] },
  { grant_types: [deviceGrant, 'refresh_token'], response_types: [] },
  { grant_types: [deviceGrant], redirect_uris: [], token_endpoint_auth_method: 'none' },
  { grant_types: [tokenExchangeGrant] },
  // What it does not use is not kept.
  { grant_types: [deviceGrant], redirect_uris: [callback], response_types: ['code'] },
])('%j needs no address to lead to, and leads nowhere', async (fields) => {
  const made = await registered({ redirect_uris: undefined, ...fields });
  const grant_types = [deviceGrant, tokenExchangeGrant, 'refresh_token'];
  expect(made).toMatchObject({ redirect_uris: [], grant_types, response_types: [] });
  expect(await jsonOf(manage(made, 'GET'))).toMatchObject({ redirect_uris: [], grant_types, response_types: [] });
  const client = asClient(made);
  const answer = await t.member.call(askFor(client));
  expect([answer.status, (await jsonOf(answer)).redirect_url]).toEqual([400, undefined]);
  const { clientId: client_id, secret } = client;
  const credentials = { client_id, client_secret: secret || undefined };
  const begun = await jsonOf(t.post('/api/oauth2/device_authorization', { ...credentials, scope: 'openid' }));
  const allow = { user_code: begun.user_code, approved: true };
  expect((await t.member.call('/api/oauth2/device', { method: 'POST', body: allow })).status).toBe(200);
  const { device_code } = begun;
  const tokens = await t.post('/api/oauth2/token', { grant_type: deviceGrant, device_code, ...credentials });
  expect(tokens.status).toBe(200);
  // It may turn to the code flow later, with an address.
  const changed = { client_id, redirect_uris: [callback] };
  expect(await jsonOf(manage(made, 'PUT', changed))).toMatchObject({
    redirect_uris: [callback],
    response_types: ['code'],
  });
});

test('requested restrictions are enforced: bound tokens and pushed requests, with logout notifications', async () => {
  const usual = { require_pushed_authorization_requests: false, dpop_bound_access_tokens: false };
  const plain = await registered();
  expect(plain).toMatchObject(usual);
  expect(plain).not.toHaveProperty('backchannel_logout_uri');
  const bound = await registered({ dpop_bound_access_tokens: true });
  expect(bound).toMatchObject({ ...usual, dpop_bound_access_tokens: true });
  const own = asClient(bound);
  const code = await t.code(own, { scope: 'openid' });
  expect(await faultOf(t.exchange(own, { code }))).toEqual([400, 'invalid_dpop_proof']);
  const pushing = await registered({ require_pushed_authorization_requests: true });
  expect((await leadsTo(t.decide(asClient(pushing), { scope: 'openid' }))).get('error')).toBe('invalid_request');
  const backchannel_logout_uri = 'https://self.example/logout';
  const told = await registered({ backchannel_logout_uri });
  expect(await rowOf(told)).toMatchObject({ backchannel_logout_uri });
  expect(await jsonOf(manage(told, 'GET'))).toMatchObject({ ...usual, backchannel_logout_uri });
  // What it says no more counts no more.
  const said = { client_id: told.client_id, redirect_uris: [callback], dpop_bound_access_tokens: true };
  const replaced = await jsonOf(manage(told, 'PUT', said));
  expect(replaced).toMatchObject({ ...usual, dpop_bound_access_tokens: true });
  expect(replaced).not.toHaveProperty('backchannel_logout_uri');
});

test('null is the same as an omitted member, at registration and in updates', async () => {
  const names = [
    ...['client_name', 'client_uri', 'scope', 'grant_types', 'response_types', 'token_endpoint_auth_method', 'jwks'],
    ...['jwks_uri', 'post_logout_redirect_uris', 'id_token_signed_response_alg', 'backchannel_logout_uri', 'contacts'],
    ...['require_pushed_authorization_requests', 'dpop_bound_access_tokens', 'client_secret'],
  ];
  const nulls = Object.fromEntries(names.map((name) => [name, null]));
  const plain = await registered({ client_name: undefined });
  const ofItsOwn = /^(client_(id|id_issued_at|secret|secret_expires_at)|registration_.*)$/;
  const same = Object.fromEntries(Object.entries(plain).filter(([name]) => !ofItsOwn.test(name)));
  const client = await registered(nulls);
  expect(client).toMatchObject(same);
  const body = { client_id: client.client_id, redirect_uris: [callback] };
  await manage(client, 'PUT', { ...body, scope: 'openid', dpop_bound_access_tokens: true });
  expect(await jsonOf(manage(client, 'PUT', { ...body, ...nulls }))).toMatchObject(same);
});

test('unknown metadata is ignored, and internal fields cannot be set', async () => {
  const client = await registered({
    is_verified: true,
    owner_id: 1,
    client_id: 'svc_mine',
    webhook_url: callback,
    x: 1,
  });
  expect(client.client_id).not.toBe('svc_mine');
  expect(await rowOf(client)).toMatchObject({ is_verified: 0, owner_id: null, webhook_url: '' });
});

test('only its registration token reads, replaces and deletes the registration', async () => {
  const [client, other] = [await registered(), await registered()];
  expect(await jsonOf(manage(client, 'GET'))).toMatchObject({ client_id: client.client_id, redirect_uris: [callback] });
  const owned = await t.client();
  const strangers: [Fields, unknown][] = [
    [client, other.registration_access_token],
    [client, 'svcreg_wrong'],
    [client, client.client_secret],
    [{ client_id: 'svc_nobody' }, client.registration_access_token],
    [{ client_id: owned.clientId }, ''],
    [{ client_id: owned.clientId }, client.registration_access_token],
  ];
  const next = { client_id: client.client_id, redirect_uris: ['https://self.example/moved'] };
  for (const [of, token] of strangers)
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect(await faultOf(manage(of, method, method === 'PUT' ? next : undefined, token))).toEqual([
        401,
        'invalid_token',
      ]);
  await t.act('verify', (await rowOf(client))!.id);
  const changed = await jsonOf(manage(client, 'PUT', next));
  expect(changed).toMatchObject({ client_name: 'Unnamed client', redirect_uris: next.redirect_uris });
  expect(await rowOf(client)).toMatchObject({ is_verified: 0 });
  for (const wrong of [{ client_id: other.client_id }, { client_id: undefined }, { client_secret: 'svcsec_wrong' }])
    expect(await faultOf(manage(client, 'PUT', { ...next, ...wrong }))).toEqual([400, 'invalid_client_metadata']);
  expect((await manage(client, 'PUT', { ...next, client_secret: client.client_secret })).status).toBe(200);
  expect((await manage(client, 'DELETE')).status).toBe(204);
  expect((await manage(client, 'GET')).status).toBe(401);
  expect((await t.member.call(askFor(asClient(client)))).status).toBe(404);
});

test('a concurrent update does not undo a newer one that was verified', async () => {
  const client = await registered();
  const { id } = (await rowOf(client))!;
  const { db } = t.platform.database;
  const before = await ownClient({ db }, client.client_id, `Bearer ${client.registration_access_token}`);
  const same = { client_id: client.client_id, client_name: 'Some program', redirect_uris: [callback] };
  expect((await manage(client, 'PUT', { ...same, client_name: 'Renamed' })).status).toBe(200);
  await t.act('verify', id);
  // The other began before, and has nothing to change.
  const nobody = { lookups: { forget: () => {} }, origins: { changed: async () => {} }, audit: { record: () => {} } };
  const announcements = { changed: async () => {} };
  await changeClient({ db, clock: t.clock, announcements, ...nobody }, { ip: '', userAgent: '' }, before, same);
  expect(await rowOf(client)).toMatchObject({ is_verified: 1, name: 'Renamed' });
});

test('changing the client type replaces the secret', async () => {
  const client = await registered();
  const body = { client_id: client.client_id, redirect_uris: [callback] };
  const open = await jsonOf(manage(client, 'PUT', { ...body, token_endpoint_auth_method: 'none' }));
  expect(open).not.toHaveProperty('client_secret');
  expect((await rowOf(client))!.secret_hash).toBe('');
  const closed = await jsonOf(manage(client, 'PUT', body));
  expect(closed.client_secret).toStartWith('svcsec_');
  expect(closed.client_secret).not.toBe(client.client_secret);
  expect((await t.tokens(asClient(closed))).access_token).toStartWith('svcat_');
});

test('deleting it removes tokens and consents; while suspended it cannot update itself', async () => {
  const client = await registered();
  const tokens = await t.tokens(asClient(client));
  const { id } = (await rowOf(client))!;
  await t.act('suspend', id);
  const body = { client_id: client.client_id, redirect_uris: [callback] };
  expect((await manage(client, 'PUT', body)).status).toBe(403);
  await t.act('activate', id);
  expect((await manage(client, 'DELETE')).status).toBe(204);
  expect((await t.userinfo(tokens.access_token)).status).toBe(401);
  const { data } = await jsonOf(t.member.call('/api/oauth2/consents'));
  expect(data.consents.map((consent: Fields) => consent.application_id)).not.toContain(id);
});

test('the operator’s registration token is required if one is set', async () => {
  const root = await t.root();
  const body = { key: 'OAuth2RegistrationTokenSha256', value: 'operators-token' };
  expect((await root.call('/api/admin/options', { method: 'PUT', body })).status).toBe(400);
  const digest = sha256Hex('operators-token');
  await t.setOption('OAuth2RegistrationTokenSha256', digest);
  for (const token of [undefined, '', 'wrong', digest]) {
    const refused = await register({}, token);
    expect(refused.headers.get('www-authenticate')).toStartWith('Bearer');
    expect(await faultOf(refused)).toEqual([401, 'invalid_token']);
  }
  expect((await register({}, 'operators-token')).status).toBe(201);
  await t.setOption('OAuth2RegistrationTokenSha256', '');
});

test('registrations are limited per minute, per day and address, and in total', async () => {
  const { n } = await t.platform.database.db
    .selectFrom('oauth_applications')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('source', '=', 'registration')
    .where('status', '<>', 3)
    .executeTakeFirstOrThrow();
  await t.setOption('OAuth2SelfRegisteredClients', Number(n) + 1);
  expect((await register()).status).toBe(201);
  const full = await register();
  expect([full.status, full.headers.has('retry-after')]).toEqual([503, true]);
  await t.setOption('OAuth2SelfRegisteredClients', Number(n) + 3);
  const parallel = await Promise.all(Array.from({ length: 8 }, async () => (await register()).status));
  expect(parallel.filter((status) => status === 201)).toHaveLength(2);
  await t.setOption('OAuth2SelfRegisteredClients', 10_000);
  await t.setOption('RateLimitEnabled', true);
  const statuses = new Set<number>();
  for (let times = 0; times < 11; times += 1) statuses.add((await register({ redirect_uris: [] })).status);
  expect(statuses).toEqual(new Set([400, 429]));
  await t.setOption('RateLimitOAuthRegister', 1000);
  let times = 0;
  let last = 400;
  for (; last === 400 && times < 200; times += 1) last = (await register({ redirect_uris: [] })).status;
  expect([last, times]).toEqual([429, 91]);
  await t.setOption('RateLimitEnabled', false);
});

test('clients without consent are deleted after 30 days, used ones stay', async () => {
  const sweep = openClientSweep({
    ...{ db: t.platform.database.db, clock: t.clock },
    lookups: { forget: () => {} },
  });
  const [unused, used, verified] = [await registered(), await registered(), await registered()];
  await t.tokens(asClient(used));
  await t.act('verify', (await rowOf(verified))!.id);
  t.clock.advance(29 * 86_400_000);
  await sweep();
  expect(await rowOf(unused)).toBeDefined();
  t.clock.advance(2 * 86_400_000);
  await sweep();
  expect(await rowOf(unused)).toBeUndefined();
  for (const client of [used, verified]) expect(await rowOf(client)).toBeDefined();
});

test('discovery lists the endpoint only while it is enabled', async () => {
  const places = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'];
  for (const place of places)
    expect(await jsonOf(t.call(place))).toMatchObject({
      registration_endpoint: `${t.config.baseUrl}${endpoint}`,
      client_id_metadata_document_supported: true,
    });
  const client = await registered();
  await t.setOption('OAuth2DynamicRegistration', false);
  for (const place of places) expect(await jsonOf(t.call(place))).not.toHaveProperty('registration_endpoint');
  expect([(await register()).status, (await manage(client, 'GET')).status]).toEqual([404, 404]);
  await t.setOption('OAuth2DynamicRegistration', true);
  await t.setOption('OAuth2OpenIDConnect', false);
  expect((await register()).status).toBe(404);
  for (const place of places) {
    const document = await jsonOf(t.call(place));
    expect(document).not.toHaveProperty('registration_endpoint');
    expect(document).not.toHaveProperty('client_id_metadata_document_supported');
  }
  await t.setOption('OAuth2OpenIDConnect', true);
});
