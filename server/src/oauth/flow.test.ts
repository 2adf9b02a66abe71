import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { basic, callback, everything, faultOf, newVerifier, type OAuthTest, openOAuthTest } from './oauth.fixture.ts';
import { s256 } from './pkce.ts';

let t: OAuthTest;
beforeAll(async () => {
  t = await openOAuthTest();
});
afterAll(() => t.close());

const json = async (response: Response | Promise<Response>) => (await (await response).json()) as Record<string, any>;

describe('authorize', () => {
  const query = (clientId: string, more: Record<string, string> = {}) =>
    `/api/oauth2/authorize?${new URLSearchParams({ response_type: 'code', client_id: clientId, redirect_uri: callback, ...more })}`;

  test('GET describes the request; consent and re-consent', async () => {
    const client = await t.client({ name: 'Shown', description: 'What it does', homepage_url: 'https://home.example' });
    const first = await json(t.member.call(query(client.clientId, { scope: 'email', state: 'a b&c' })));
    expect(first).toEqual({
      success: true,
      data: {
        application: {
          id: client.id,
          name: 'Shown',
          description: 'What it does',
          homepage_url: 'https://home.example',
          logo_url: '',
          client_id: client.clientId,
          is_verified: false,
        },
        requested_scopes: [
          { name: 'openid', description: expect.any(String) },
          { name: 'email', description: expect.any(String) },
        ],
        has_existing_consent: false,
        existing_scopes: null,
        needs_reconsent: false,
        redirect_uri: callback,
        state: 'a b&c',
      },
    });
    await t.code(client, { scope: 'openid email' });
    const second = await json(t.member.call(query(client.clientId, { scope: 'email' })));
    expect(second.data).toMatchObject({
      has_existing_consent: true,
      existing_scopes: 'openid email',
      needs_reconsent: false,
    });
    const wider = await json(t.member.call(query(client.clientId, { scope: 'openid profile' })));
    expect(wider.data).toMatchObject({ has_existing_consent: true, needs_reconsent: true });
    await t.code(client, { scope: 'profile' });
    const after = await json(t.member.call(query(client.clientId, { scope: 'email profile' })));
    expect(after.data).toMatchObject({ existing_scopes: 'openid email profile', needs_reconsent: false });
  });

  test('answers in the order client, state, redirect, then faults that carry a redirect', async () => {
    const client = await t.client();
    expect(await faultOf(t.call(query(client.clientId)))).toEqual([401, 'invalid_token']);
    expect((await faultOf(t.member.call(query('svc_unknown', { redirect_uri: 'https://evil.example' }))))[0]).toBe(404);
    expect(await faultOf(t.member.call('/api/oauth2/authorize?response_type=code'))).toEqual([400, 'invalid_request']);
    const wrong = await t.member.call(query(client.clientId, { redirect_uri: 'https://evil.example/', scope: 'nope' }));
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).not.toHaveProperty('redirect_url');
    const scope = await json(t.member.call(query(client.clientId, { scope: 'openid nope', state: 's/1' })));
    expect(scope.error).toBe('invalid_scope');
    const url = new URL(scope.redirect_url);
    expect(url.origin + url.pathname).toBe(callback);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      error: 'invalid_scope',
      error_description: scope.error_description,
      state: 's/1',
      iss: t.config.baseUrl,
    });
    const type = await json(t.member.call(query(client.clientId, { response_type: 'token' })));
    expect(type.error).toBe('unsupported_response_type');
    expect(type.redirect_url).toContain('error=unsupported_response_type');
    const repeated = `${query(client.clientId)}&scope=openid&scope=email`;
    expect(await faultOf(t.member.call(repeated))).toEqual([400, 'invalid_request']);
    const unknown = await t.member.call(query(client.clientId, { prompt: 'login', nonce: 'n' }));
    expect(unknown.status).toBe(200);
  });

  test('denying tells the application, and keeps what the redirect URI holds', async () => {
    const redirect = 'https://client.example/cb?keep=a%20b';
    const client = await t.client({ redirect_uris: [redirect] });
    const answer = await json(t.decide(client, { approved: false, state: 'x=1&y' }));
    const url: string = answer.data.redirect_url;
    expect(url.startsWith(`${redirect}&error=access_denied&error_description=`)).toBe(true);
    expect(new URL(url).searchParams.get('state')).toBe('x=1&y');
    const approved = await json(t.decide(client, { state: '' }));
    expect([...new URL(approved.data.redirect_url).searchParams.keys()]).toEqual(['keep', 'code', 'iss']);
  });

  test('approval is required only when the option says so', async () => {
    const client = await t.client();
    await t.setOption('OAuth2RequireApproval', true);
    expect(await faultOf(t.decide(client))).toEqual([403, 'access_denied']);
    await t.act('verify', client.id);
    expect((await t.decide(client)).status).toBe(200);
    await t.setOption('OAuth2RequireApproval', false);
  });

  test('with OAuth off nothing is given, but access can still be taken back', async () => {
    const client = await t.client();
    const tokens = await t.tokens(client);
    await t.setOption('OAuth2Enabled', false);
    expect(await faultOf(t.decide(client))).toEqual([403, 'access_denied']);
    expect(await faultOf(t.refresh(client, tokens.refresh_token))).toEqual([403, 'access_denied']);
    expect(await faultOf(t.userinfo(tokens.access_token))).toEqual([403, 'access_denied']);
    expect((await t.member.call(`/api/oauth2/consents/${client.id}`, { method: 'DELETE' })).status).toBe(200);
    await t.setOption('OAuth2Enabled', true);
    expect((await t.userinfo(tokens.access_token)).status).toBe(401);
  });
});

describe('token', () => {
  test('a code becomes tokens of the right form, never to be stored', async () => {
    const client = await t.client();
    const code = await t.code(client, { scope: 'profile email' });
    expect(code).toMatch(/^[0-9A-Za-z]{40}$/);
    const response = await t.exchange(client, { code });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('pragma')).toBe('no-cache');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toEqual({
      access_token: expect.stringMatching(/^svcat_[0-9A-Za-z]{48}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^svcrt_[0-9A-Za-z]{48}$/),
      scope: 'openid profile email',
    });
    const failed = await t.exchange(client, { code: 'x' });
    expect(failed.headers.get('cache-control')).toBe('no-store');
    expect(await failed.json()).toEqual({
      success: false,
      message: expect.any(String),
      error: 'invalid_grant',
      error_description: expect.any(String),
    });
    const unreadable = await t.call('/api/oauth2/token', { method: 'POST', body: '{' });
    expect([unreadable.status, unreadable.headers.get('cache-control')]).toEqual([400, 'no-store']);
  });

  test('JSON bodies, Basic credentials and form-encoded credentials', async () => {
    const client = await t.client();
    const body = {
      grant_type: 'authorization_code',
      code: await t.code(client),
      redirect_uri: callback,
      client_id: client.clientId,
      client_secret: client.secret,
    };
    expect((await t.call('/api/oauth2/token', { method: 'POST', body })).status).toBe(200);
    const encoded = `Basic ${btoa(`${client.clientId.replace('_', '%5F')}:${client.secret.replace('_', '%5F')}`)}`;
    for (const authorization of [basic(client), encoded]) {
      const fields = { grant_type: 'authorization_code', code: await t.code(client), redirect_uri: callback };
      expect((await t.post('/api/oauth2/token', fields, { authorization })).status).toBe(200);
    }
  });

  test('client authentication', async () => {
    const client = await t.client();
    const other = await t.client();
    const open = await t.client({ app_type: 'public' });
    expect(open.secret).toBe('');
    const code = await t.code(client);
    const wrong = await t.exchange(client, { code, client_secret: `${client.secret}x` });
    expect(wrong.headers.get('www-authenticate')).toStartWith('Basic');
    expect(await faultOf(wrong)).toEqual([401, 'invalid_client']);
    expect(await faultOf(t.exchange(client, { code, client_secret: undefined }))).toEqual([401, 'invalid_client']);
    expect(await faultOf(t.exchange(client, { code, client_id: 'svc_unknown' }))).toEqual([401, 'invalid_client']);
    expect(await faultOf(t.exchange(client, { code, client_id: undefined }))).toEqual([401, 'invalid_client']);
    const both = { grant_type: 'authorization_code', code, redirect_uri: callback };
    const authorization = basic(client);
    expect(
      await faultOf(t.post('/api/oauth2/token', { ...both, client_secret: client.secret }, { authorization })),
    ).toEqual([400, 'invalid_request']);
    expect(
      await faultOf(t.post('/api/oauth2/token', { ...both, client_id: other.clientId }, { authorization })),
    ).toEqual([400, 'invalid_request']);
    for (const bad of ['Basic !!!', 'Basic', `Basic ${btoa('nocolon')}`, `Basic ${btoa('%zz:x')}`, 'Bearer abc'])
      expect(await faultOf(t.post('/api/oauth2/token', both, { authorization: bad }))).toEqual([401, 'invalid_client']);
    expect(await faultOf(t.exchange(open, { code: 'a'.repeat(40), client_secret: 'svcsec_x' }))).toEqual([
      401,
      'invalid_client',
    ]);
    expect((await t.exchange(client, { code })).status).toBe(200);
  });

  test('repeated and missing parameters, wrong types', async () => {
    const client = await t.client();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const send = (body: string) => t.call('/api/oauth2/token', { method: 'POST', body, headers });
    expect(await faultOf(send('grant_type=refresh_token&grant_type=refresh_token'))).toEqual([400, 'invalid_request']);
    expect(await faultOf(send(''))).toEqual([400, 'invalid_request']);
    expect(await faultOf(t.exchange(client, {}))).toEqual([400, 'invalid_request']);
    expect(await faultOf(t.exchange(client, { code: 'x', redirect_uri: undefined }))).toEqual([400, 'invalid_request']);
    expect(await faultOf(t.call('/api/oauth2/token', { method: 'POST', body: { grant_type: 7 } }))).toEqual([
      400,
      'invalid_request',
    ]);
    expect(
      (await t.call('/api/oauth2/token', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }))
        .status,
    ).toBe(415);
    expect((await t.call('/api/oauth2/token')).status).toBe(405);
  });

  test('plain and S256 challenges; a failed proof leaves the code usable', async () => {
    const client = await t.client({ app_type: 'public' });
    const verifier = newVerifier();
    const plain = await t.code(client, { code_challenge: verifier });
    expect((await t.exchange(client, { code: plain, code_verifier: verifier })).status).toBe(200);
    const code = await t.code(client, { code_challenge: s256(verifier), code_challenge_method: 'S256' });
    expect(await faultOf(t.exchange(client, { code, code_verifier: newVerifier() }))).toEqual([400, 'invalid_grant']);
    expect(await faultOf(t.exchange(client, { code, code_verifier: s256(verifier) }))).toEqual([400, 'invalid_grant']);
    expect((await t.exchange(client, { code, code_verifier: verifier })).status).toBe(200);
    const method = await json(t.decide(client, { code_challenge: verifier, code_challenge_method: 's256' }));
    expect(method.error).toBe('invalid_request');
    expect(method.redirect_url).toContain('error=invalid_request');
    expect(await faultOf(t.decide(client, { code_challenge: 'short' }))).toEqual([400, 'invalid_request']);
  });

  test('lifetimes follow the options', async () => {
    const client = await t.client();
    await t.setOption('OAuth2AccessTokenTTL', 5);
    await t.setOption('OAuth2RefreshTokenTTL', 20);
    await t.setOption('OAuth2CodeTTL', 3);
    const code = await t.code(client);
    t.clock.advance(3000);
    expect(await faultOf(t.exchange(client, { code }))).toEqual([400, 'invalid_grant']);
    const tokens = await t.tokens(client);
    expect(tokens.expires_in).toBe(5);
    t.clock.advance(5000);
    expect(await faultOf(t.userinfo(tokens.access_token))).toEqual([401, 'invalid_token']);
    const next = (await (await t.refresh(client, tokens.refresh_token)).json()) as typeof tokens;
    t.clock.advance(20_000);
    expect(await faultOf(t.refresh(client, next.refresh_token))).toEqual([400, 'invalid_grant']);
    await t.setOption('OAuth2AccessTokenTTL', 3600);
    await t.setOption('OAuth2RefreshTokenTTL', 2_592_000);
    await t.setOption('OAuth2CodeTTL', 600);
  });
});

describe('refresh', () => {
  test('rotates; may narrow the access token, never widen it', async () => {
    const client = await t.client();
    const tokens = await t.tokens(client, { scope: 'openid email profile' });
    expect(await faultOf(t.refresh(client, tokens.refresh_token, { scope: 'usage:read' }))).toEqual([
      400,
      'invalid_scope',
    ]);
    const narrow = await json(t.refresh(client, tokens.refresh_token, { scope: 'email' }));
    expect(narrow.scope).toBe('openid email');
    expect(await json(t.userinfo(narrow.access_token))).not.toHaveProperty('group');
    const again = await json(t.refresh(client, narrow.refresh_token));
    expect(again.scope).toBe('openid email profile');
  });

  test('is cut to what the application is allowed now, and so are tokens in use', async () => {
    const client = await t.client({ scopes: 'openid email profile' });
    const tokens = await t.tokens(client, { scope: 'openid email profile' });
    const code = await t.code(client, { scope: 'openid email profile' });
    await t.owner.call(`/api/oauth2/applications/${client.id}`, { method: 'PUT', body: { scopes: 'openid profile' } });
    expect(await json(t.userinfo(tokens.access_token))).not.toHaveProperty('email');
    expect((await t.introspect(client, tokens.access_token)).scope).toBe('openid profile');
    expect((await json(t.refresh(client, tokens.refresh_token))).scope).toBe('openid profile');
    expect((await json(t.exchange(client, { code }))).scope).toBe('openid profile');
  });

  test('a used token within ten seconds is refused, later it ends the family', async () => {
    const client = await t.client();
    const first = await t.tokens(client);
    const second = await json(t.refresh(client, first.refresh_token));
    t.clock.advance(10_000);
    expect(await faultOf(t.refresh(client, first.refresh_token))).toEqual([400, 'invalid_grant']);
    expect((await t.userinfo(second.access_token)).status).toBe(200);
    t.clock.advance(1);
    expect(await faultOf(t.refresh(client, first.refresh_token))).toEqual([400, 'invalid_grant']);
    expect((await t.userinfo(second.access_token)).status).toBe(401);
    expect(await faultOf(t.refresh(client, second.refresh_token))).toEqual([400, 'invalid_grant']);
  });
});

describe('revoke and introspect', () => {
  test('an access token alone; a refresh token with its access token', async () => {
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

  test('wrong credentials and other clients revoke nothing, and hear nothing of it', async () => {
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

  test('introspection answers in full, to the owner of the token', async () => {
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
  test('fields follow the scopes; profile may be changed', async () => {
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
      email: '',
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

  test('API tokens: created once in full, listed masked, deleted by their owner only', async () => {
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

  test('an application’s own limit counts its calls over an hour', async () => {
    await t.setOption('RateLimitEnabled', true);
    const client = await t.client();
    const { access_token } = await t.tokens(client);
    await t.platform.database.db
      .updateTable('oauth_applications')
      .set({ rate_limit: 2 })
      .where('id', '=', client.id)
      .execute();
    expect((await t.userinfo(access_token)).status).toBe(200);
    expect((await t.userinfo(access_token)).status).toBe(200);
    const third = await t.userinfo(access_token);
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(60);
    expect(third.headers.get('ratelimit-limit')).toBe('2');
    expect(await faultOf(third)).toEqual([429, 'rate_limit_exceeded']);
    await t.setOption('AppRateLimitEnabled', false);
    expect((await t.userinfo(access_token)).status).toBe(200);
    await t.setOption('AppRateLimitEnabled', true);
    await t.setOption('RateLimitEnabled', false);
  });
});
