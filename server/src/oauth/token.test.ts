import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  basic,
  callback,
  faultOf,
  jsonOf as json,
  newVerifier,
  type OAuthTest,
  openOAuthTest,
} from './oauth.fixture.ts';
import { s256 } from './pkce.ts';

let t: OAuthTest;
beforeAll(async () => {
  t = await openOAuthTest();
});
afterAll(() => t.close());

describe('token endpoint', () => {
  test('a code becomes tokens of the right format, with no-store', async () => {
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

  test('accepts JSON bodies, Basic credentials and form-encoded credentials', async () => {
    const client = await t.client();
    const body = {
      grant_type: 'authorization_code',
      code: await t.code(client),
      redirect_uri: callback,
      client_id: client.clientId,
      client_secret: client.secret,
    };
    const { code: _, ...again } = body;
    // As typed clients write what they do not set.
    const nulls = { code_verifier: null, refresh_token: null, scope: null, resource: null, client_assertion: null };
    for (const sent of [body, { ...again, code: await t.code(client), ...nulls }])
      expect((await t.call('/api/oauth2/token', { method: 'POST', body: sent })).status).toBe(200);
    const encoded = `Basic ${btoa(`${client.clientId.replace('_', '%5F')}:${client.secret.replace('_', '%5F')}`)}`;
    for (const authorization of [basic(client), encoded]) {
      const fields = { grant_type: 'authorization_code', code: await t.code(client), redirect_uri: callback };
      expect((await t.post('/api/oauth2/token', fields, { authorization })).status).toBe(200);
    }
  });

  test('authenticates clients', async () => {
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
    for (const bad of [
      'Basic !!!',
      'Basic',
      `Basic ${btoa('nocolon')}`,
      `Basic ${btoa('%zz:x')}`,
      `Basic ${btoa('a%00:x')}`,
      'Bearer abc',
    ])
      expect(await faultOf(t.post('/api/oauth2/token', both, { authorization: bad }))).toEqual([401, 'invalid_client']);
    expect(await faultOf(t.exchange(open, { code: 'a'.repeat(40), client_secret: 'svcsec_x' }))).toEqual([
      401,
      'invalid_client',
    ]);
    expect((await t.exchange(client, { code })).status).toBe(200);
  });

  test('rejects repeated and missing parameters and wrong content types', async () => {
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

  // RFC 6749 §4.1.2.1, §5.2, RFC 6750 §3.
  test('error descriptions contain only permitted characters', async () => {
    const client = await t.client();
    const legal = /^[ !#-[\]-~]+$/;
    const odd = ['"', '\\', 'é', '’', '…', '😀', '\t', '\n'];
    const told = async (answer: Promise<Response>) => {
      const { message, error_description, redirect_url } = await json(answer);
      expect(error_description).toMatch(legal);
      if (redirect_url) expect(new URL(redirect_url).searchParams.get('error_description')).toMatch(legal);
      return message as string;
    };
    const { refresh_token } = await t.tokens(client);
    for (const mark of odd) {
      const scope = `openid a${mark}b`;
      expect(await told(t.refresh(client, refresh_token, { scope }))).toContain(JSON.stringify(`a${mark}b`));
      await told(t.decide(client, { scope }));
      await told(t.post(`/api/oauth2/token`, { [mark]: 'x', grant_type: 'refresh_token' }));
      const twice = new URLSearchParams([
        [mark, ''],
        [mark, ''],
      ]);
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      await told(t.call('/api/oauth2/token', { method: 'POST', body: `${twice}`, headers }));
    }
    await told(t.call('/api/oauth2/userinfo'));
  });

  test.each(['token', 'revoke', 'introspect'])(
    '%s without a content type returns invalid_request',
    async (endpoint) => {
      for (const body of [undefined, new Blob(['grant_type=refresh_token'])]) {
        const request = new Request(`${t.config.baseUrl}/api/oauth2/${endpoint}`, { method: 'POST', body });
        expect(await faultOf(t.app.app.fetch(request))).toEqual([400, 'invalid_request']);
      }
    },
  );

  test('supports plain and S256 challenges; a wrong verifier leaves the code usable', async () => {
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

describe('refresh tokens', () => {
  test('are rotated, and may narrow the scopes, never extend them', async () => {
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

  test('are limited to the scopes the application has now, and so are access tokens', async () => {
    const client = await t.client({ scopes: 'openid email profile' });
    const tokens = await t.tokens(client, { scope: 'openid email profile' });
    const code = await t.code(client, { scope: 'openid email profile' });
    await t.owner.call(`/api/oauth2/applications/${client.id}`, { method: 'PUT', body: { scopes: 'openid profile' } });
    expect(await json(t.userinfo(tokens.access_token))).not.toHaveProperty('email');
    expect((await t.introspect(client, tokens.access_token)).scope).toBe('openid profile');
    expect((await json(t.refresh(client, tokens.refresh_token))).scope).toBe('openid profile');
    expect((await json(t.exchange(client, { code }))).scope).toBe('openid profile');
  });

  test('reuse within ten seconds is rejected, later reuse revokes the family', async () => {
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
