import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { basic, everything, faultOf, jsonOf as json, type OAuthTest, openOAuthTest } from './oauth.fixture.ts';

let t: OAuthTest;
beforeAll(async () => {
  t = await openOAuthTest();
});
afterAll(() => t.close());

describe('revocation and introspection', () => {
  test('an access token is revoked alone, a refresh token with its access token', async () => {
    const client = await t.client();
    const tokens = await t.tokens(client);
    const credentials = { client_id: client.clientId, client_secret: client.secret };
    const revoke = (token: string, more: Record<string, string> = {}) =>
      t.post('/api/oauth2/revoke', { token, ...more });
    expect(await json(revoke(tokens.access_token, { token_type_hint: 'refresh_token' }))).toEqual({
      success: true,
      message: expect.any(String),
    });
    expect((await t.userinfo(tokens.access_token)).status).toBe(401);
    const next = await json(t.refresh(client, tokens.refresh_token));
    expect((await revoke(next.refresh_token, credentials)).status).toBe(200);
    expect((await t.userinfo(next.access_token)).status).toBe(401);
    expect(await faultOf(t.refresh(client, next.refresh_token))).toEqual([400, 'invalid_grant']);
    expect((await revoke(next.refresh_token)).status).toBe(200);
    expect((await revoke('unknown')).status).toBe(200);
    expect(await faultOf(t.post('/api/oauth2/revoke', {}))).toEqual([400, 'invalid_request']);
  });

  test('wrong credentials and other clients revoke nothing, and the response does not reveal it', async () => {
    const client = await t.client();
    const other = await t.client();
    const { access_token: token } = await t.tokens(client);
    const attempts = [
      t.post('/api/oauth2/revoke', { token, client_id: client.clientId, client_secret: 'wrong' }),
      t.post('/api/oauth2/revoke', { token, client_id: other.clientId, client_secret: other.secret }),
      t.post('/api/oauth2/revoke', { token, client_id: other.clientId }),
      t.post('/api/oauth2/revoke', { token }, { authorization: basic(other) }),
      t.post('/api/oauth2/revoke', { token }, { authorization: 'Basic ###' }),
    ];
    for (const response of await Promise.all(attempts)) expect(response.status).toBe(200);
    expect((await t.userinfo(token)).status).toBe(200);
  });

  test('introspection returns all fields to the owner of the token', async () => {
    const client = await t.client();
    const tokens = await t.tokens(client);
    const now = Math.floor(t.clock.nowMs() / 1000);
    const common = { active: true, scope: 'openid profile', client_id: client.clientId, sub: `${t.member.id}` };
    expect(await t.introspect(client, tokens.access_token)).toEqual({
      ...common,
      username: t.member.username,
      token_type: 'Bearer',
      exp: now + 3600,
      iat: now,
    });
    expect(await t.introspect(client, tokens.refresh_token)).toMatchObject({
      ...common,
      token_type: 'refresh_token',
      exp: now + 2_592_000,
    });
    expect(await t.introspect(client, 'nothing')).toEqual({ active: false });
    const inBody = { token: tokens.access_token, client_id: client.clientId, client_secret: client.secret };
    expect(await faultOf(t.post('/api/oauth2/introspect', inBody))).toEqual([401, 'invalid_client']);
    expect(await faultOf(t.post('/api/oauth2/introspect', {}, { authorization: basic(client) }))).toEqual([
      400,
      'invalid_request',
    ]);
    const open = await t.client({ app_type: 'public' });
    const authorization = `Basic ${btoa(`${open.clientId}:`)}`;
    expect(await faultOf(t.post('/api/oauth2/introspect', { token: 'x' }, { authorization }))).toEqual([
      401,
      'invalid_client',
    ]);
  });
});

describe('userinfo and API tokens', () => {
  test('fields follow the scopes, and the profile can be changed', async () => {
    const client = await t.client();
    const least = await t.tokens(client, { scope: undefined });
    expect(least.scope).toBe('openid');
    expect(Object.keys(await json(t.userinfo(least.access_token))).sort()).toEqual(
      ['sub', 'username', 'display_name', 'avatar_url', 'role'].sort(),
    );
    const most = await t.tokens(client, { scope: everything });
    const all = await json(t.userinfo(most.access_token));
    expect(all).toEqual({
      sub: `${t.member.id}`,
      username: t.member.username,
      display_name: t.member.username,
      avatar_url: '',
      role: 1,
      email_verified: false,
      group: 'default',
      created_at: expect.any(Number),
      quota: 0,
      used_quota: 0,
      request_count: 0,
    });
    const patch = (token: string, body: unknown) =>
      t.withBearer('/api/oauth2/userinfo', token, { method: 'PATCH', body });
    expect(await json(patch(most.access_token, { display_name: 'New name', role: 100 }))).toMatchObject({
      display_name: 'New name',
      role: 1,
    });
    expect((await patch(most.access_token, { avatar_url: 'javascript:alert(1)' })).status).toBe(400);
    const refused = await patch(least.access_token, { display_name: 'x' });
    expect(refused.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
    expect(refused.headers.get('www-authenticate')).toContain('scope="profile"');
    expect(await faultOf(refused)).toEqual([403, 'insufficient_scope']);
  });

  test('API tokens are shown in full once, listed masked, and deleted only by their owner', async () => {
    const client = await t.client();
    const tokens = await t.tokens(client, { scope: 'tokens:read tokens:write' });
    const reader = await t.tokens(client, { scope: 'tokens:read' });
    const make = (body: unknown, token = tokens.access_token) =>
      t.withBearer('/api/oauth2/tokens', token, { method: 'POST', body });
    const made = await json(make({ name: 'by application', expired_time: 0 }));
    expect(made.data).toEqual({
      id: expect.any(Number),
      name: 'by application',
      key: expect.stringMatching(/^sk-[0-9A-Za-z]{48}$/),
    });
    const listed = await json(t.withBearer('/api/oauth2/tokens', reader.access_token));
    expect(listed.data.find((key: { id: number }) => key.id === made.data.id)).toMatchObject({
      key: `sk-${made.data.key.slice(3, 7)}**********${made.data.key.slice(-4)}`,
      expired_time: -1,
      unlimited_quota: true,
      remain_quota: 0,
    });
    expect(await faultOf(make({ name: 'x' }, reader.access_token))).toEqual([403, 'insufficient_scope']);
    expect((await make({})).status).toBe(400);
    expect((await make({ name: 'x'.repeat(51) })).status).toBe(400);
    expect((await make({ name: 'late', expired_time: 1000 })).status).toBe(400);
    const foreign = await t.owner.call('/api/tokens', { method: 'POST', body: { name: 'other' } });
    const { data } = (await foreign.json()) as { data: { id: number } };
    const remove = (id: number | string) =>
      t.withBearer(`/api/oauth2/tokens/${id}`, tokens.access_token, { method: 'DELETE' });
    expect((await remove(data.id)).status).toBe(404);
    expect((await remove('abc')).status).toBe(404);
    expect(await json(remove(made.data.id))).toEqual({ success: true, message: expect.any(String) });
    expect((await remove(made.data.id)).status).toBe(404);
  });

  test('calls of an application do not use up the limit of its user, or of another application', async () => {
    const [noisy, other] = [await t.client(), await t.client()];
    const [loud, quiet] = [await t.tokens(noisy, { scope: 'tokens:read' }), await t.tokens(other)];
    await t.setOption('RateLimitApi', 3);
    await t.setOption('RateLimitEnabled', true);
    const list = ({ access_token }: { access_token: string }) => t.withBearer('/api/oauth2/tokens', access_token);
    const statuses: number[] = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await list(loud)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect((await list(quiet)).status).toBe(403);
    // In particular, its user can end its access.
    expect((await t.member.call(`/api/oauth2/consents/${noisy.id}`, { method: 'DELETE' })).status).toBe(200);
    await t.setOption('RateLimitEnabled', false);
    expect((await list(loud)).status).toBe(401);
  });

  test('an application’s own rate limit counts its calls per hour', async () => {
    await t.setOption('RateLimitEnabled', true);
    const client = await t.client();
    const { access_token } = await t.tokens(client);
    const root = await t.root();
    const limitTo = (rate_limit: number) =>
      root.call(`/api/oauth2/admin/applications/${client.id}`, { method: 'PUT', body: { rate_limit } });
    expect((await t.userinfo(access_token)).status).toBe(200);
    expect((await limitTo(2)).status).toBe(200);
    expect((await t.userinfo(access_token)).status).toBe(200);
    const third = await t.userinfo(access_token);
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(60);
    expect(third.headers.get('ratelimit-limit')).toBe('2');
    expect(await faultOf(third)).toEqual([429, 'rate_limit_exceeded']);
    expect((await limitTo(0)).status).toBe(200);
    expect((await t.userinfo(access_token)).status).toBe(200);
    await limitTo(2);
    await t.setOption('AppRateLimitEnabled', false);
    expect((await t.userinfo(access_token)).status).toBe(200);
    await t.setOption('AppRateLimitEnabled', true);
    await t.setOption('RateLimitEnabled', false);
  });
});
