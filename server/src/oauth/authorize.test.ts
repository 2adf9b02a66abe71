import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { callback, faultOf, jsonOf as json, type OAuthTest, openOAuthTest } from './oauth.fixture.ts';

let t: OAuthTest;
beforeAll(async () => {
  t = await openOAuthTest();
});
afterAll(() => t.close());

describe('authorization endpoint', () => {
  const query = (clientId: string, more: Record<string, string> = {}) =>
    `/api/oauth2/authorize?${new URLSearchParams({ response_type: 'code', client_id: clientId, redirect_uri: callback, ...more })}`;

  test.each(['%FF', '%C3', '%ED%A0%80', 'a%F0%9F%98b'])(
    'a state of %s, which is not valid text, is rejected',
    async (state) => {
      const client = await t.client();
      const answer = await t.member.call(`${query(client.clientId)}&state=${state}`);
      expect(await faultOf(answer)).toEqual([400, 'invalid_request']);
      for (const kept of ['%E2%82%AC', '100%25', 'a%2Bb%20c', '%F0%9F%98%80']) {
        const { data } = await json(t.member.call(`${query(client.clientId)}&state=${kept}`));
        expect(data.state).toBe(decodeURIComponent(kept));
      }
    },
  );

  test('GET describes the request, with consent and re-consent', async () => {
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

  test('errors are checked in order: client, state, redirect URI, then errors sent by redirect', async () => {
    const client = await t.client();
    expect(await faultOf(t.call(query(client.clientId)))).toEqual([401, 'login_required']);
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

  test('a denial is sent to the application, and the query of the redirect URI is kept', async () => {
    const redirect = 'https://client.example/cb?keep=a%20b';
    const client = await t.client({ redirect_uris: [redirect] });
    const answer = await json(t.decide(client, { approved: false, state: 'x=1&y' }));
    const url: string = answer.data.redirect_url;
    expect(url.startsWith(`${redirect}&error=access_denied&error_description=`)).toBe(true);
    expect(new URL(url).searchParams.get('state')).toBe('x=1&y');
    const approved = await json(t.decide(client, { state: '' }));
    expect([...new URL(approved.data.redirect_url).searchParams.keys()]).toEqual(['keep', 'code', 'iss']);
  });

  test('verification is required only with OAuth2RequireApproval', async () => {
    const client = await t.client();
    await t.setOption('OAuth2RequireApproval', true);
    expect(await faultOf(t.decide(client))).toEqual([403, 'access_denied']);
    await t.act('verify', client.id);
    expect((await t.decide(client)).status).toBe(200);
    await t.setOption('OAuth2RequireApproval', false);
  });

  test('with OAuth turned off no tokens are issued, but access can still be revoked', async () => {
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
