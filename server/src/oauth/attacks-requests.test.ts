import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { callback, faultOf, jsonOf, type OAuthTest, openOAuthTest, type TestClient } from './oauth.fixture.ts';

let t: OAuthTest;
beforeAll(async () => {
  t = await openOAuthTest();
});
afterAll(() => t.close());

const asks = (clientId: string, redirect_uri: string) =>
  t.member.call(
    `/api/oauth2/authorize?${new URLSearchParams({ response_type: 'code', client_id: clientId, redirect_uri, state: 's' })}`,
  );
const register = (fields: Record<string, unknown>) =>
  t.owner.call('/api/oauth2/applications', {
    method: 'POST',
    body: { name: 'x', redirect_uris: [callback], scopes: 'openid', ...fields },
  });
const change = (client: TestClient, fields: Record<string, unknown>, by = t.owner) =>
  by.call(`/api/oauth2/applications/${client.id}`, { method: 'PUT', body: fields });

test('a duplicate name in a JSON body is rejected, like a repeated form parameter', async () => {
  const client = await t.client();
  const twice = (body: object, name: string, value: unknown) =>
    `${JSON.stringify(body).slice(0, -1)},"${name}":${JSON.stringify(value)}}`;
  const decision = { client_id: client.clientId, redirect_uri: callback, response_type: 'code', approved: false };
  const asked = { ...decision, scope: 'openid', state: 's' };
  const root = await t.root();
  const own = `/api/oauth2/applications/${client.id}`;
  for (const answer of [
    t.member.call('/api/oauth2/authorize', { method: 'POST', body: twice(asked, 'approved', true) }),
    t.owner.call(own, { method: 'PUT', body: twice({ name: 'A' }, 'n\\u0061me', 'B') }),
    t.call('/api/oauth2/token', { method: 'POST', body: twice({ grant_type: 'x' }, 'grant_type', 'refresh_token') }),
    root.call(`/api/admin/users/${t.owner.id}`, { method: 'PUT', body: twice({ role: 1 }, 'role', 10) }),
  ]) {
    const response = await answer;
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('more than once')]);
  }
});

describe('redirect URIs', () => {
  test('similar but different URIs are rejected without a redirect, with GET and POST', async () => {
    const client = await t.client({ redirect_uris: ['https://client.example/Callback', 'https://client.example'] });
    for (const uri of [
      'https://client.example/callback',
      'https://client.example/Callback/',
      'https://client.example/Callback?x=1',
      'https://client.example/Callback#x',
      'https://client.example/Callback/../Callback',
      'https://client.example/%43allback',
      'https://client.example.evil.com',
      'https://client.example.evil.com/Callback',
      'https://client.example@evil.com/Callback',
      'https://client.example:443/Callback',
      'http://client.example/Callback',
      'HTTPS://client.example/Callback',
      'https://client.example\\@evil.com',
      ' https://client.example',
      '',
    ]) {
      for (const response of [await asks(client.clientId, uri), await t.decide(client, { redirect_uri: uri })]) {
        const body = await jsonOf(response);
        expect([uri, response.status, body.error]).toEqual([uri, 400, 'invalid_request']);
        expect(body).not.toHaveProperty('redirect_url');
        expect(response.headers.get('location')).toBeNull();
      }
    }
  });

  test('a loopback URI does not match https', async () => {
    const { clientId } = await t.client({ redirect_uris: ['https://client.example/cb'] });
    for (const uri of ['http://127.0.0.1/cb', 'http://localhost/cb', 'http://localhost:3000/cb', 'http://[::1]/cb'])
      expect(await faultOf(asks(clientId, uri))).toEqual([400, 'invalid_request']);
  });

  test('a loopback URI matches on any port, and nothing else', async () => {
    const native = await t.client({ redirect_uris: ['http://127.0.0.1/cb', 'http://[::1]:80/cb?a=1'] });
    for (const uri of ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/cb', 'http://[::1]:9/cb?a=1'])
      expect((await asks(native.clientId, uri)).status).toBe(200);
    for (const uri of [
      'http://127.0.0.1:51004/cb?x=1',
      'http://127.0.0.1:51004/cb/',
      'http://127.0.0.1:51004/CB',
      'http://localhost:51004/cb',
      'http://127.0.0.1:99999/cb',
      'http://127.0.0.1:51004@evil.com/cb',
      'http://127.0.0.1.evil.com/cb',
      'https://127.0.0.1:51004/cb',
      'http://[::1]:9/cb?a=2',
    ])
      expect([uri, ...(await faultOf(asks(native.clientId, uri)))]).toEqual([uri, 400, 'invalid_request']);
    const redirect_uri = 'http://127.0.0.1:51004/cb';
    const code = await t.code(native, { redirect_uri });
    const otherPort = t.exchange(native, { code, redirect_uri: 'http://127.0.0.1:51005/cb' });
    expect(await faultOf(otherPort)).toEqual([400, 'invalid_grant']);
    expect((await t.exchange(native, { code, redirect_uri })).status).toBe(200);
  });

  test('unsafe URIs cannot be registered', async () => {
    for (const uri of [
      'javascript:alert(1)',
      'JavaScript://client.example/%0aalert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'vbscript:x',
      'blob:https://client.example/x',
      'about:blank',
      'https://client.example/cb#fragment',
      'https://client.example/cb#',
      'http://client.example/cb',
      'http://localhost.evil.com/cb',
      'https://*.client.example/cb',
      'https://user:pass@client.example/cb',
      'https:client.example',
      'https://client.example/a b',
      'https://client.example\\cb',
      '/relative',
      '',
      `https://client.example/${'x'.repeat(2000)}`,
    ]) {
      expect([uri, (await register({ redirect_uris: [callback, uri] })).status]).toEqual([uri, 400]);
    }
    const many = (count: number) => Array.from({ length: count }, (_, i) => `${callback}/${i}`);
    expect((await register({ redirect_uris: many(11) })).status).toBe(400);
    expect((await register({ redirect_uris: many(10) })).status).toBe(200);
    expect((await register({ redirect_uris: [] })).status).toBe(400);
    expect((await register({ redirect_uris: callback })).status).toBe(400);
    for (const uri of ['com.example.app:/cb', 'myapp://cb', 'http://localhost:3000/cb'])
      expect((await register({ redirect_uris: [uri] })).status).toBe(200);
  });

  test('an unknown client with a malicious URI is not redirected', async () => {
    const response = await asks('svc_00000000000000000000000000000000', 'https://evil.example/');
    expect(response.status).toBe(404);
    expect(await response.json()).not.toHaveProperty('redirect_url');
  });
});

describe('forged and extended requests', () => {
  test('POST authorize from a foreign origin or as a form is rejected', async () => {
    const client = await t.client();
    const body = { client_id: client.clientId, redirect_uri: callback, approved: true };
    const send = (init: { body: unknown; headers: Record<string, string> }) =>
      t.member.call('/api/oauth2/authorize', { method: 'POST', ...init });
    expect((await send({ body, headers: { origin: 'https://evil.example' } })).status).toBe(403);
    expect((await send({ body, headers: { origin: 'null' } })).status).toBe(403);
    expect((await send({ body, headers: { origin: new URL(t.config.baseUrl).origin } })).status).toBe(200);
    const form = new URLSearchParams({ ...body, approved: 'true' }).toString();
    const asForm = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await send({ body: form, headers: asForm })).status).toBe(415);
    expect((await send({ body: JSON.stringify(body), headers: { 'content-type': 'text/plain' } })).status).toBe(415);
  });

  test('cookie endpoints reject other origins; token endpoints accept them without cookies', async () => {
    const headers = { origin: 'https://spa.example', 'access-control-request-method': 'POST' };
    const preflight = (path: string) => t.call(path, { method: 'OPTIONS', headers });
    for (const path of ['/api/oauth2/token', '/api/oauth2/revoke', '/api/oauth2/userinfo']) {
      const allowed = await preflight(path);
      expect(allowed.status).toBe(204);
      expect(allowed.headers.get('access-control-allow-origin')).toBe('*');
      expect(allowed.headers.get('access-control-allow-credentials')).toBeNull();
    }
    for (const path of ['/api/oauth2/authorize', '/api/oauth2/applications', '/api/oauth2/introspect'])
      expect((await preflight(path)).headers.get('access-control-allow-origin')).toBeNull();
  });

  test('a scope beyond allowed_scopes is rejected', async () => {
    const client = await t.client({ scopes: 'openid profile' });
    expect(await faultOf(t.decide(client, { scope: 'openid tokens:write' }))).toEqual([400, 'invalid_scope']);
    expect(await faultOf(t.decide(client, { scope: 'admin' }))).toEqual([400, 'invalid_scope']);
    expect((await register({ scopes: 'openid admin' })).status).toBe(400);
    await t.setOption('OAuth2AllowedScopes', 'openid');
    expect(await faultOf(t.decide(client, { scope: 'profile' }))).toEqual([400, 'invalid_scope']);
    await t.setOption('OAuth2AllowedScopes', 'openid email profile tokens:read tokens:write usage:read');
  });

  test('PUT ignores fields that the owner may not set', async () => {
    const client = await t.client();
    const path = `/api/oauth2/applications/${client.id}`;
    const before = (await jsonOf(t.owner.call(path))).data;
    const answer = await change(client, {
      is_verified: true,
      status: 3,
      rate_limit: 0,
      client_id: 'svc_mine',
      owner: 1,
      owner_id: 1,
      epoch: 9,
      secret_hash: 'x',
      allowed_scopes: 'openid',
      verified_by: 1,
    });
    expect(answer.status).toBe(200);
    expect((await jsonOf(t.owner.call(path))).data).toEqual(before);
    expect((await t.tokens(client)).token_type).toBe('Bearer');
  });

  test('users cannot use administration or applications of another owner', async () => {
    const client = await t.client();
    for (const path of ['/api/oauth2/admin/applications', '/api/oauth2/admin/audit'])
      expect((await t.member.call(path)).status).toBe(403);
    for (const action of ['verify', 'unverify', 'suspend', 'activate']) {
      const init = { method: 'POST', body: { app_id: client.id } };
      expect((await t.owner.call(`/api/oauth2/admin/applications/${action}`, init)).status).toBe(403);
    }
    const path = `/api/oauth2/applications/${client.id}`;
    for (const other of [t.member, await t.root()]) {
      expect((await other.call(path)).status).toBe(403);
      expect((await change(client, { name: 'mine' }, other)).status).toBe(403);
      expect((await other.call(path, { method: 'DELETE' })).status).toBe(403);
      expect((await other.call(`${path}/rotate-secret`, { method: 'POST' })).status).toBe(403);
      for (const method of ['GET', 'POST'])
        expect((await other.call(`${path}/webhook-secret`, { method })).status).toBe(403);
    }
    expect((await t.call(path)).status).toBe(401);
  });

  test('the consent page and its API cannot be framed', async () => {
    for (const path of ['/oauth2/authorize?client_id=x', '/api/oauth2/authorize?client_id=x']) {
      const response = await t.member.call(path);
      expect(response.headers.get('x-frame-options')).toBe('DENY');
      expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    }
  });

  test('script in a name stays text; executable URLs are rejected', async () => {
    const name = '<script>alert(1)</script>';
    const client = await t.client({ name });
    const response = await asks(client.clientId, callback);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await jsonOf(response)).data.application.name).toBe(name);
    for (const bad of ['javascript:alert(1)', 'data:text/html,x', 'not a url', '//evil.example', 'https://a"onerror=x'])
      for (const field of ['homepage_url', 'logo_url', 'webhook_url'])
        expect((await register({ [field]: bad })).status).toBe(400);
    expect((await register({ name: 'Bank \u202eelgooG' })).status).toBe(400);
    for (const [given, kept] of [
      ['https://home.example', 'https://home.example'],
      ['https://\u0430pple.example', 'https://xn--pple-43d.example/'],
      ['https://a\u200bb.example/', 'https://ab.example/'],
      ['https://a.example/\u202egpj', 'https://a.example/%E2%80%AEgpj'],
    ])
      for (const field of ['homepage_url', 'logo_url', 'webhook_url'])
        expect((await jsonOf(register({ [field]: given }))).data[field]).toBe(kept);
  });
});
