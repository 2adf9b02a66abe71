import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import { auditEvents } from './audit.ts';
import {
  callback,
  everything,
  faultOf,
  jsonOf,
  type OAuthTest,
  openOAuthTest,
  type TestClient,
} from './oauth.fixture.ts';

let t: OAuthTest;
let root: Member;
beforeAll(async () => {
  t = await openOAuthTest();
  root = await t.root();
});
afterAll(() => t.close());

type Entry = { id: number; event_type: string };
const applications = '/api/oauth2/applications';

test('applications are listed with owners, and each action can be repeated', async () => {
  const client = await t.client({ name: 'Findable_unique 100%' });
  const { data } = await jsonOf(root.call('/api/oauth2/admin/applications?q=findable_UNIQUE%20100%25'));
  expect(data).toMatchObject({ total: 1, page: 1, page_size: 20 });
  expect(data.applications[0]).toMatchObject({ id: client.id, owner_username: t.owner.username });
  expect((await jsonOf(root.call('/api/oauth2/admin/applications?q=findable%25'))).data.total).toBe(0);
  const first = await jsonOf(t.act('verify', client.id));
  expect(first.data).toMatchObject({ is_verified: true, verified_by: root.id, verified_at: expect.any(Number) });
  t.clock.advance(5000);
  expect((await jsonOf(t.act('verify', client.id))).data).toEqual(first.data);
  expect((await jsonOf(t.act('unverify', client.id))).data).toMatchObject({ is_verified: false, verified_by: null });
  expect((await jsonOf(t.act('suspend', client.id))).data.status).toBe(2);
  expect((await jsonOf(t.act('activate', client.id))).data.status).toBe(1);
  expect((await t.act('verify', 99_999_999)).status).toBe(404);
  const bad = root.call('/api/oauth2/admin/applications/verify', { method: 'POST', body: { app_id: 'x' } });
  expect((await bad).status).toBe(400);
});

test('only administrators change the rate limit of an application', async () => {
  const { id } = await t.client();
  const path = `/api/oauth2/admin/applications/${id}`;
  const put = (by: Member, body: unknown, at = path) => by.call(at, { method: 'PUT', body });
  expect((await jsonOf(put(root, { rate_limit: 50 }))).data).toMatchObject({ id, rate_limit: 50 });
  expect((await jsonOf(t.owner.call(`${applications}/${id}`))).data.rate_limit).toBe(50);
  expect((await put(t.owner, { rate_limit: 60 })).status).toBe(403);
  await put(t.owner, { rate_limit: 60 }, `${applications}/${id}`);
  expect((await jsonOf(t.owner.call(`${applications}/${id}`))).data.rate_limit).toBe(50);
  for (const rate_limit of [-1, 1.5, '5', null, 1e12]) expect((await put(root, { rate_limit })).status).toBe(400);
  for (const body of [{}, { rate_limit: 1, status: 3 }]) expect((await put(root, body)).status).toBe(400);
  expect((await put(root, { rate_limit: 1 }, '/api/oauth2/admin/applications/99999999')).status).toBe(404);
});

test('an application is suspended while its owner is disabled, and continues unchanged afterwards', async () => {
  const owner = await t.user();
  const client = await t.client({ name: 'Of somebody disabled' }, owner);
  const tokens = await t.tokens(client);
  const code = await t.code(client);
  const request = new URLSearchParams({ response_type: 'code', client_id: client.clientId, redirect_uri: callback });
  const look = () => t.member.call(`/api/oauth2/authorize?${request}`);
  const put = (status: number) => root.call(`/api/admin/users/${owner.id}`, { method: 'PUT', body: { status } });
  const listed = async () =>
    (await jsonOf(root.call('/api/oauth2/admin/applications?q=of%20somebody%20disabled'))).data.applications[0];
  expect((await t.userinfo(tokens.access_token)).status).toBe(200);
  expect(await listed()).toMatchObject({ status: 1, owner_disabled: false });
  await put(2);
  const refused: [number, unknown] = [403, 'access_denied'];
  expect(await faultOf(look())).toEqual(refused);
  expect(await faultOf(t.decide(client))).toEqual(refused);
  expect(await faultOf(t.exchange(client, { code }))).toEqual(refused);
  expect(await faultOf(t.refresh(client, tokens.refresh_token))).toEqual(refused);
  expect(await faultOf(t.userinfo(tokens.access_token))).toEqual(refused);
  expect(await t.introspect(client, tokens.access_token)).toEqual({ active: false });
  expect(await listed()).toMatchObject({ status: 1, owner_disabled: true });
  await put(1);
  expect((await jsonOf(look())).data).toMatchObject({ has_existing_consent: true, needs_reconsent: false });
  expect((await t.userinfo(tokens.access_token)).status).toBe(200);
  expect((await t.exchange(client, { code })).status).toBe(200);
  // What an administrator suspended stays so.
  await t.act('suspend', client.id);
  await put(2);
  await put(1);
  expect(await faultOf(look())).toEqual(refused);
});

describe('OAuth audit log', () => {
  const audit = async (query: string) => (await jsonOf(root.call(`/api/oauth2/admin/audit?${query}`))).data;

  async function everyEvent(): Promise<TestClient> {
    const client = await t.client({ name: '=cmd|calc' });
    const path = `${applications}/${client.id}`;
    await t.owner.call(path, { method: 'PUT', body: { description: 'changed' } });
    await t.decide(client, { approved: false });
    const tokens = await t.tokens(client);
    const next = await jsonOf(t.refresh(client, tokens.refresh_token));
    await t.post('/api/oauth2/revoke', { token: next.access_token });
    for (const action of ['verify', 'suspend', 'activate']) await t.act(action, client.id);
    await t.member.call(`/api/oauth2/consents/${client.id}`, { method: 'DELETE' });
    await t.owner.call(`${path}/rotate-secret`, { method: 'POST' });
    await t.owner.call(path, { method: 'DELETE' });
    return client;
  }

  test('all 13 event types are recorded with their required fields', async () => {
    const client = await everyEvent();
    const { logs, total } = await audit(`application_id=${client.id}&page_size=100`);
    expect(total).toBe(logs.length);
    expect([...new Set(logs.map((entry: Entry) => entry.event_type))].sort()).toEqual([...auditEvents].sort());
    const of = (kind: string) => logs.find((entry: Entry) => entry.event_type === kind);
    expect(of('authorization_granted')).toEqual({
      id: expect.any(Number),
      event_type: 'authorization_granted',
      application_id: client.id,
      user_id: t.member.id,
      ip_address: '127.0.0.1',
      user_agent: expect.any(String),
      metadata: { scopes: 'openid profile', redirect_uri: callback },
      created_at: expect.any(Number),
    });
    expect(of('authorization_denied').metadata).toEqual({ redirect_uri: callback });
    expect(of('token_issued').metadata).toEqual({ grant_type: 'authorization_code', scopes: 'openid profile' });
    expect(of('token_refreshed').metadata).toMatchObject({ scopes: 'openid profile' });
    expect(of('token_revoked').metadata).toEqual({ token_type: 'access_token' });
    expect(of('consent_revoked').metadata).toEqual({ application_id: client.id });
    expect(of('app_created').metadata).toEqual({ app_name: '=cmd|calc' });
    expect(of('app_updated').metadata).toEqual({ changed_fields: ['description'] });
    expect(of('app_verified').metadata).toEqual({ admin_user_id: root.id });
    const ids = logs.map((entry: Entry) => entry.id);
    expect(ids).toEqual(ids.toSorted((a: number, b: number) => b - a));
  });

  test('entries are filtered and paged', async () => {
    const client = await t.client();
    t.clock.advance(100_000);
    await t.tokens(client);
    const now = Math.floor(t.clock.nowMs() / 1000);
    const id = `application_id=${client.id}`;
    const kinds = async (query: string) => (await audit(`${id}&${query}`)).logs.map((e: Entry) => e.event_type);
    expect(await kinds('event_type=token_issued')).toEqual(['token_issued']);
    expect(await kinds('event_type=nothing')).toEqual([]);
    expect(await kinds('event_type=')).toEqual(await kinds(''));
    expect(await kinds(`user_id=${t.owner.id}`)).toEqual(['app_created']);
    expect(await kinds(`from=${now}`)).toEqual(['token_issued', 'authorization_granted']);
    expect(await kinds(`to=${now - 1}`)).toEqual(['app_created']);
    expect(await kinds('page=2&page_size=2')).toEqual(['app_created']);
    expect(await audit(`${id}&page=2&page_size=2`)).toMatchObject({ total: 3, page: 2, page_size: 2 });
    expect((await root.call('/api/oauth2/admin/audit?user_id=x')).status).toBe(400);
  });

  test('CSV has a header, at most 10,000 rows and no formulas', async () => {
    const rows = Array.from({ length: 10_050 }, (_, i) => ({
      action: 'token_issued',
      actor_id: i,
      actor_name: '',
      target_type: 'application',
      target_id: 777_777,
      target_name: '',
      ip: '127.0.0.1',
      user_agent: i % 2 ? '=HYPERLINK("x")' : '@a,"b"\nc',
      metadata: '{}',
      created_at: 1000,
    }));
    const { db } = t.platform.database;
    for (let i = 0; i < rows.length; i += 500)
      await db
        .insertInto('audit_log')
        .values(rows.slice(i, i + 500))
        .execute();
    const response = await root.call('/api/oauth2/admin/audit?format=csv&application_id=777777');
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toContain('attachment');
    const lines = (await response.text()).split('\r\n');
    expect(lines[0]).toBe('id,event_type,application_id,user_id,ip_address,user_agent,metadata,created_at');
    expect(lines).toHaveLength(10_002);
    expect(lines[1]).toContain(',"\'=HYPERLINK(""x"")",');
    expect(lines[2]).toContain(',"\'@a,""b""\nc",');
    const page = await audit('application_id=777777&page=101&page_size=100');
    expect([page.total, page.logs.length, page.logs[0].user_id]).toEqual([10_050, 50, 49]);
  });
});

test('discovery returns exactly the fields of the specification; RFC 8414 adds two', async () => {
  const issuer = t.config.baseUrl;
  const expected = {
    issuer,
    authorization_endpoint: `${t.config.webUrl}/oauth2/authorize`,
    token_endpoint: `${issuer}/api/oauth2/token`,
    userinfo_endpoint: `${issuer}/api/oauth2/userinfo`,
    revocation_endpoint: `${issuer}/api/oauth2/revoke`,
    introspection_endpoint: `${issuer}/api/oauth2/introspect`,
    scopes_supported: everything.split(' '),
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256', 'plain'],
    subject_types_supported: ['public'],
  };
  for (const path of ['/api/oauth2/.well-known/openid-configuration', '/.well-known/openid-configuration']) {
    const response = await t.call(path, { headers: { host: 'evil.example' } });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await jsonOf(response)).toEqual(expected);
  }
  expect(await jsonOf(t.call('/.well-known/oauth-authorization-server'))).toEqual({
    ...expected,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    authorization_response_iss_parameter_supported: true,
  });
});

test('each endpoint has its own rate limit, per address or user, shown in the response headers', async () => {
  await t.setOption('RateLimitEnabled', true);
  await t.setOption('RateLimitOAuthToken', 2);
  await t.setOption('RateLimitOAuthAuthorize', 1);
  const token = () => t.post('/api/oauth2/token', { grant_type: 'password' });
  const first = await token();
  expect([first.headers.get('ratelimit-limit'), first.headers.get('ratelimit-remaining')]).toEqual(['2', '1']);
  await token();
  const third = await token();
  expect(third.headers.get('cache-control')).toBe('no-store');
  expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await faultOf(third)).toEqual([429, 'rate_limit_exceeded']);
  const a = await t.user();
  const b = await t.user();
  const ask = async (by: Member) => (await by.call('/api/oauth2/authorize?client_id=x')).status;
  expect([await ask(a), await ask(a), await ask(b)]).toEqual([404, 429, 404]);
  await t.setOption('RateLimitEnabled', false);
});
