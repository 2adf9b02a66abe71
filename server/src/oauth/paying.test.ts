import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { CallInit } from '../app.fixture.ts';
import { cookieOf, enrol, password } from '../identity/factors/factors.fixture.ts';
import { callback, faultOf, jsonOf, openOAuthTest } from './oauth.fixture.ts';
import { askFor } from './openid/openid.fixture.ts';
import { costOfOne, openPayingTest, type PayingTest, refusalOf } from './paying.fixture.ts';
import { documentOf, serveDocument } from './registration/documents.fixture.ts';

let t: PayingTest;
beforeAll(async () => {
  t = await openPayingTest({ ALLOW_PRIVATE_WEBHOOKS: '1' });
});
afterAll(() => t.close());

const rich = 10_000;
const gone: [number, unknown] = [401, 'invalid_api_key'];
const short: [number, unknown] = [403, 'insufficient_key_quota'];

test('a token with models:use works like a key of its user, and its cost is listed with the application', async () => {
  const client = await t.payingClient();
  const { access_token, scope } = await t.mayPay(client, rich);
  expect(scope).toBe('openid models:use');
  const before = (await jsonOf(t.member.call('/api/user/self'))).data.used_quota;
  for (const path of ['/v1/chat/completions', '/v1/messages'])
    expect((await t.ask(access_token, {}, path)).status).toBe(200);
  for (const path of ['/v1/models', '/v1/files', '/v1/videos', '/v1beta/models'])
    expect([path, (await t.withBearer(path, access_token)).status]).toEqual([path, 200]);
  const inHeader = await t.call('/v1/models', { headers: { 'x-api-key': access_token } });
  expect(inHeader.status).toBe(200);

  expect((await jsonOf(t.member.call('/api/user/self'))).data.used_quota).toBe(before + 2 * costOfOne);
  expect(await t.consentOf(client)).toMatchObject({
    ...{ spending_limit: rich, spending_window: 'total', spent: 2 * costOfOne },
  });
  const rows = (await t.usage()).filter(({ application_id }) => application_id === client.id);
  expect(rows.filter(({ quota }) => quota === costOfOne)).toHaveLength(2);
  expect(rows[0]).toMatchObject({ application: 'Agent', user_id: t.member.id });
  const sums = (await jsonOf(t.member.call('/api/usage/summary?group_by=token'))).data.items;
  expect(sums).toContainEqual(expect.objectContaining({ application_id: client.id, application: 'Agent' }));
  const csv = await (await t.member.call('/api/usage/logs?format=csv')).text();
  expect(csv.split('\r\n')[0]).toContain('application_id,application');
});

test('the internal key behind a limit cannot be seen, changed or deleted', async () => {
  const client = await t.payingClient();
  const { access_token } = await t.mayPay(client, rich);
  await t.ask(access_token);
  const id = (await t.usage()).find(({ application_id }) => application_id === client.id)!.token_id;
  const listed = (await jsonOf(t.member.call('/api/tokens'))).data.map((key: { id: number }) => key.id);
  expect(listed).not.toContain(id);
  const unlimited = { method: 'PUT', body: { unlimited_quota: true, remain_quota: 1_000_000 } };
  expect((await t.member.call(`/api/tokens/${id}`, unlimited)).status).toBe(404);
  expect((await t.member.call(`/api/tokens/${id}`, { method: 'PUT', body: {} })).status).toBe(404);
  expect((await t.member.call(`/api/tokens/${id}`, { method: 'DELETE' })).status).toBe(404);
  expect((await t.ask(access_token)).status).toBe(200);
});

test('no other scope pays, and models:use gives access only to models', async () => {
  const client = await t.payingClient();
  const plain = await t.tokens(client, { scope: 'openid profile' });
  const refused = await t.ask(plain.access_token);
  expect(refused.headers.get('www-authenticate')).toContain('scope="models:use"');
  expect(await refusalOf(refused)).toEqual([403, 'insufficient_scope']);
  const { access_token, refresh_token } = await t.mayPay(client, rich);
  expect(await refusalOf(t.ask(refresh_token))).toEqual(gone);
  expect(await refusalOf(t.ask(`${access_token.slice(0, -1)}~`))).toEqual(gone);
  for (const path of ['/api/svc-ms/sessions', '/api/tokens', '/api/usage/logs', '/api/oauth2/consents'])
    expect([path, (await t.withBearer(path, access_token)).status]).toEqual([path, 401]);
  expect((await t.withBearer('/api/oauth2/tokens', access_token)).status).toBe(403);
  // Addresses end up in logs.
  expect((await t.call(`/v1beta/models?key=${access_token}`)).status).toBe(401);
});

test('the user is asked for the limit once', async () => {
  const client = await t.payingClient();
  const asked = { scope: 'openid models:use' };
  expect((await jsonOf(t.member.call(askFor(client, asked)))).data.spending).toBeNull();
  expect(await faultOf(t.decide(client, asked))).toEqual([400, 'invalid_request']);
  for (const spending_limit of [-1, 0.5, '5', 1e16])
    expect((await t.decide(client, { ...asked, spending_limit })).status).toBe(400);
  expect((await t.decide(client, { ...asked, spending_limit: 5, spending_window: 'year' })).status).toBe(400);
  expect((await t.decide(client, { ...asked, spending_limit: 500, spending_window: 'month' })).status).toBe(200);
  const { data } = await jsonOf(t.member.call(askFor(client, asked)));
  expect(data).toMatchObject({ needs_reconsent: false, spending: { limit: 500, window: 'month', spent: 0 } });
  expect((await t.decide(client, asked)).status).toBe(200);
  expect(await t.consentOf(client)).toMatchObject({ spending_limit: 500, spending_window: 'month', spent: 0 });
  // A consent from before the scope says nothing of money.
  const earlier = await t.payingClient();
  await t.code(earlier);
  expect(await t.consentOf(earlier)).not.toHaveProperty('spending_limit');
  expect((await jsonOf(t.member.call(askFor(earlier, asked)))).data).toMatchObject({ needs_reconsent: true });
  expect(await faultOf(t.decide(earlier, asked))).toEqual([400, 'invalid_request']);
  await t.decide(earlier, { ...asked, spending_limit: 7 });
  expect(await t.consentOf(earlier)).toMatchObject({ spending_limit: 7, spending_window: 'total' });
});

test('a limit can be changed while in use, and earlier spending counts', async () => {
  const client = await t.payingClient();
  const { access_token } = await t.mayPay(client, rich);
  await t.ask(access_token);
  expect((await jsonOf(t.setLimit(client, costOfOne))).data).toEqual({
    ...{ spending_limit: costOfOne, spending_window: 'total', spent: costOfOne },
  });
  expect(await refusalOf(t.ask(access_token))).toEqual(short);
  expect((await t.setLimit(client, rich)).status).toBe(200);
  expect((await t.ask(access_token)).status).toBe(200);
  expect(await t.consentOf(client)).toMatchObject({ spending_limit: rich, spent: 2 * costOfOne });
  // Agreeing again with another limit is the same.
  await t.decide(client, { scope: 'openid models:use', spending_limit: 2 * costOfOne });
  expect(await refusalOf(t.ask(access_token))).toEqual(short);
  expect((await t.setLimit(client, -1)).status).toBe(400);
  expect((await t.setLimit(await t.payingClient(), 5)).status).toBe(404);
  const logs = (await jsonOf((await t.root()).call('/api/oauth2/admin/audit?event_type=consent_limit_changed'))).data
    .logs;
  expect(logs[0]).toMatchObject({
    application_id: client.id,
    user_id: t.member.id,
    metadata: { spending_limit: rich },
  });
});

test('changing the window starts at zero', async () => {
  const client = await t.payingClient();
  const { access_token } = await t.mayPay(client, rich);
  for (let warm = 0; warm < 2; warm += 1) await t.ask(access_token);
  expect((await jsonOf(t.setLimit(client, 0, 'month'))).data).toMatchObject({ spending_window: 'month', spent: 0 });
  expect(await refusalOf(t.ask(access_token))).toEqual(short);
  await t.setLimit(client, rich, 'month');
  expect((await t.ask(access_token)).status).toBe(200);
  expect(await t.consentOf(client)).toMatchObject({ spending_window: 'month', spent: costOfOne });
  await t.setLimit(client, 2 * costOfOne, 'total');
  expect(await t.consentOf(client)).toMatchObject({ spending_window: 'total', spent: 2 * costOfOne });
  expect(await refusalOf(t.ask(access_token))).toEqual(short);
});

test('anything that ends the grant takes effect immediately, also when cached', async () => {
  const ends: Record<string, (of: Awaited<ReturnType<PayingTest['payingClient']>>, token: string) => Promise<unknown>> =
    {
      revoked: (_, token) => t.post('/api/oauth2/revoke', { token }),
      'consent revoked': (client) => t.member.call(`/api/oauth2/consents/${client.id}`, { method: 'DELETE' }),
      'scope taken from the application': (client) =>
        t.owner.call(`/api/oauth2/applications/${client.id}`, { method: 'PUT', body: { scopes: 'openid' } }),
      'application deleted': (client) => t.owner.call(`/api/oauth2/applications/${client.id}`, { method: 'DELETE' }),
      'application suspended': (client) => t.act('suspend', client.id),
    };
  for (const [how, end] of Object.entries(ends)) {
    const client = await t.payingClient();
    const { access_token } = await t.mayPay(client, rich);
    for (let warm = 0; warm < 2; warm += 1) expect((await t.ask(access_token)).status).toBe(200);
    await end(client, access_token);
    const [status] = await refusalOf(t.ask(access_token));
    expect([how, status === 401 || status === 403]).toEqual([how, true]);
  }
});

test('a second factor is required before an application may create keys or spend more', async () => {
  const member = await t.user();
  const older = await t.call('/api/user/login', {
    method: 'POST',
    body: { username: member.username, password },
  });
  const { recoveryCodes } = await enrol(t.app, member);
  const headers = { cookie: cookieOf(older) };
  const by = { ...member, call: (path: string, init: CallInit = {}) => t.call(path, { ...init, headers }) };
  const client = await t.client({ scopes: 'openid profile tokens:write models:use' });
  const allow = async (fields: Record<string, unknown>) => {
    const answer = await t.decide(client, fields, by);
    return answer.status === 200 ? 200 : (await jsonOf(answer)).code;
  };
  const pays = (spending_limit: number) => ({ scope: 'openid models:use', spending_limit });
  expect(await allow({ scope: 'openid profile' })).toBe(200);
  for (const fields of [{ scope: 'openid tokens:write' }, pays(rich)]) {
    expect(await allow(fields)).toBe('step_up_required');
    expect(await allow({ ...fields, approved: false })).toBe(200);
  }
  await t.call('/api/user/step-up', { method: 'POST', body: { code: recoveryCodes[0] }, headers });
  expect([await allow({ scope: 'openid tokens:write' }), await allow(pays(rich))]).toEqual([200, 200]);
  t.clock.advance(601_000);
  // What was allowed before is not asked about, and less money neither.
  expect([await allow({ scope: 'openid tokens:write' }), await allow(pays(rich - 1))]).toEqual([200, 200]);
  expect(await allow(pays(rich))).toBe('step_up_required');
  const raised = { spending_limit: 2 * rich, spending_window: 'total' };
  const changed = await by.call(`/api/oauth2/consents/${client.id}`, { method: 'PUT', body: raised });
  expect([changed.status, (await jsonOf(changed)).code]).toEqual([403, 'step_up_required']);
  // The same for a device.
  const fields = { client_id: client.clientId, client_secret: client.secret, scope: pays(rich).scope };
  const { user_code } = await jsonOf(t.post('/api/oauth2/device_authorization', fields));
  const body = { user_code, approved: true, spending_limit: 2 * rich };
  const device = await by.call('/api/oauth2/device', { method: 'POST', body });
  expect([device.status, (await jsonOf(device)).code]).toEqual([403, 'step_up_required']);
});

test('spending is suspended while the owner of the application is disabled', async () => {
  const owner = await t.user();
  const client = await t.client({ name: 'Agent', scopes: 'openid profile models:use' }, owner);
  const { access_token } = await t.mayPay(client, rich);
  for (let warm = 0; warm < 2; warm += 1) expect((await t.ask(access_token)).status).toBe(200);
  const root = await t.root();
  const put = (status: number) => root.call(`/api/admin/users/${owner.id}`, { method: 'PUT', body: { status } });
  await put(2);
  expect((await refusalOf(t.ask(access_token)))[0]).toBe(403);
  await put(1);
  expect((await t.ask(access_token)).status).toBe(200);
});

test('spending stops when a self-registered client drops the scope or deletes itself', async () => {
  await t.setOption('OAuth2DynamicRegistration', true);
  const said = { redirect_uris: [callback], scope: 'openid models:use', token_endpoint_auth_method: 'none' };
  const ends: [string, (client: Record<string, string>) => object][] = [
    ['DELETE', () => ({})],
    ['PUT', ({ client_id }) => ({ body: { ...said, client_id, scope: 'openid' } })],
  ];
  for (const [method, sent] of ends) {
    const made = await jsonOf(t.call('/api/oauth2/register', { method: 'POST', body: said }));
    const client = { id: 0, clientId: made.client_id, secret: '', redirectUri: callback };
    const { access_token } = await t.mayPay(client, rich);
    for (let warm = 0; warm < 2; warm += 1) expect((await t.ask(access_token)).status).toBe(200);
    const headers = { authorization: `Bearer ${made.registration_access_token}` };
    await t.call(`/api/oauth2/register/${made.client_id}`, { method, headers, ...sent(made) });
    const [status] = await refusalOf(t.ask(access_token));
    expect([method, status]).toEqual([method, method === 'PUT' ? 403 : 401]);
    const open = await t.platform.database.db
      .selectFrom('api_keys')
      .select('status')
      .where('application_id', 'is not', null)
      .orderBy('id', 'desc')
      .executeTakeFirst();
    expect([method, open?.status]).toEqual([method, method === 'PUT' ? 1 : 2]);
  }
});

test('spending stops when a client’s document drops the scope', async () => {
  const said = { scope: 'openid models:use', redirect_uris: [callback] };
  const server = serveDocument((url) => Response.json(documentOf(url, said)));
  const client = { ...server.client, redirectUri: callback };
  const { access_token } = await t.mayPay(client, rich);
  const minutes = (count: number) => t.clock.advance(count * 60_000);
  minutes(6);
  // Warm again, by the clock that entries grow old by.
  for (let warm = 0; warm < 2; warm += 1) expect((await t.ask(access_token)).status).toBe(200);
  said.scope = 'openid';
  // Somebody comes, and the document is read again.
  await t.member.call(askFor(client, { code_challenge: 'c'.repeat(43) }));
  expect((await refusalOf(t.ask(access_token)))[0]).toBe(403);
  server.stop();
});

test('a refresh ends the previous token, and the new one uses the same limit', async () => {
  const client = await t.payingClient();
  const first = await t.mayPay(client, rich);
  await t.ask(first.access_token);
  const next = await jsonOf(t.refresh(client, first.refresh_token));
  expect(await refusalOf(t.ask(first.access_token))).toEqual(gone);
  expect((await t.ask(next.access_token)).status).toBe(200);
  expect((await t.consentOf(client)).spent).toBe(2 * costOfOne);
});

test('consenting again after revoking starts at zero', async () => {
  const client = await t.payingClient();
  await t.ask((await t.mayPay(client, 100)).access_token);
  await t.member.call(`/api/oauth2/consents/${client.id}`, { method: 'DELETE' });
  const again = await t.mayPay(client, 50);
  expect(await t.consentOf(client)).toMatchObject({ spending_limit: 50, spent: 0 });
  expect((await t.ask(again.access_token)).status).toBe(200);
  // What was used under the consent before still tells of the application.
  expect((await t.usage()).filter(({ application_id }) => application_id === client.id)).toHaveLength(2);
});

test('without OpenID Connect the scope does not exist', async () => {
  const off = await openOAuthTest();
  const body = { name: 'Agent', redirect_uris: ['https://client.example/callback'], scopes: 'openid models:use' };
  expect(await faultOf(off.owner.call('/api/oauth2/applications', { method: 'POST', body }))).toEqual([
    400,
    'invalid_scope',
  ]);
  const client = await off.client();
  expect(await faultOf(off.decide(client, { scope: 'models:use', spending_limit: 5 }))).toEqual([400, 'invalid_scope']);
  const limit = { method: 'PUT', body: { spending_limit: 5, spending_window: 'total' } };
  expect([404, 405]).toContain((await off.member.call(`/api/oauth2/consents/${client.id}`, limit)).status);
  const { access_token } = await off.tokens(client);
  expect((await off.withBearer('/v1/models', access_token)).status).toBe(401);
  await off.close();
  // Turned off while tokens are about, they pay no more.
  const paying = await t.mayPay(await t.payingClient(), rich);
  expect((await t.ask(paying.access_token)).status).toBe(200);
  await t.setOption('OAuth2OpenIDConnect', false);
  expect(await refusalOf(t.ask(paying.access_token))).toEqual(gone);
  await t.setOption('OAuth2OpenIDConnect', true);
  expect((await t.ask(paying.access_token)).status).toBe(200);
});

test('the first answer to an Idempotency-Key is for the application that got it, at /v1 too', async () => {
  const make = (token: string, name: string) =>
    t.call('/v1/conversations', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'idempotency-key': '1' },
      body: { metadata: { name } },
    });
  const [first, second] = [await t.payingClient(), await t.payingClient()];
  const [own, others] = [await t.mayPay(first, rich), await t.mayPay(second, rich)];
  const made = await jsonOf(make(own.access_token, 'a'));
  const again = await make((await t.mayPay(first, rich)).access_token, 'a');
  expect([again.headers.get('idempotency-replayed'), await again.json()]).toEqual(['true', made]);
  for (const token of [others.access_token, await t.member.key()]) {
    const theirs = await make(token, 'a');
    expect([theirs.status, theirs.headers.get('idempotency-replayed')]).toEqual([200, null]);
    expect((await jsonOf(theirs)).id).not.toBe(made.id);
  }
});

test('an application has a secret of its own for callbacks, and cannot change that of its user', async () => {
  const path = '/v1/videos/callback-secret';
  const key = await t.member.key();
  const secretOf = async (token: string) => (await jsonOf(t.withBearer(path, token))).secret as string;
  const users = await secretOf(key);
  const tokens = [await t.mayPay(await t.payingClient(), rich), await t.mayPay(await t.payingClient(), rich)];
  const secrets = await Promise.all(tokens.map(({ access_token }) => secretOf(access_token)));
  expect(new Set([users, ...secrets]).size).toBe(3);

  const rotate = (token: string) => t.withBearer(`${path}/rotate`, token, { method: 'POST', body: {} });
  expect((await rotate(tokens[0]!.access_token)).status).toBe(403);
  expect(await secretOf(key)).toBe(users);
  expect((await rotate(key)).status).toBe(200);
  expect(await secretOf(key)).not.toBe(users);
  expect(await secretOf(tokens[0]!.access_token)).toBe(secrets[0]!);
});
