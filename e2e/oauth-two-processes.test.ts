/** Two processes of the service on one PostgreSQL and one Redis: codes and tokens are used once only, and a change counts in both. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { randomString } from '../server/src/lib/ids.ts';
import { type OwnDatabase, ownDatabase } from './own-database.ts';
import { type Caller, type Service, startService, until } from './service.ts';
import { startUpstream } from './upstream.ts';

const callback = 'https://client.example/callback';
/** Of both, as behind one proxy. */
const baseUrl = 'http://svc.example';

let database: OwnDatabase;
let services: [Service, Service];
let user: Caller;
let client: { id: number; client_id: string; client_secret_plain: string };

beforeAll(async () => {
  database = await ownDatabase();
  const env = { ...database.withRedis, OPENID_CONNECT: '1', BASE_URL: baseUrl };
  services = [await startService({ env }), await startService({ env })];
  user = await services[0].user();
  client = await user.api('/api/oauth2/applications', {
    method: 'POST',
    body: { name: 'Client', redirect_uris: [callback], scopes: 'openid' },
  });
}, 300_000);
afterAll(async () => {
  for (const service of services) await service.stop();
  await database.drop();
});

const asClient = (service: Service, path: string, fields: Record<string, string>, headers = {}) =>
  fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret_plain}`)}`, ...headers },
    body: new URLSearchParams(fields),
  });
const token = (service: Service, fields: Record<string, string>) => asClient(service, '/api/oauth2/token', fields);
const asUser = (service: Service, path: string, body: unknown) =>
  fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { cookie: user.cookie, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const userinfo = async (service: Service, accessToken: string) =>
  (await fetch(`${service.url}/api/oauth2/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } })).status;

async function newCode(): Promise<string> {
  const { redirect_url } = await user.api<{ redirect_url: string }>('/api/oauth2/authorize', {
    method: 'POST',
    body: { client_id: client.client_id, redirect_uri: callback, approved: true },
  });
  return new URL(redirect_url).searchParams.get('code')!;
}
const exchange = (service: Service, code: string) =>
  token(service, { grant_type: 'authorization_code', code, redirect_uri: callback });
const newTokens = async () =>
  (await (await exchange(services[0], await newCode())).json()) as { access_token: string; refresh_token: string };

/** The same call 50 times at once, every other one to the other process. */
const fiftyTimes = (call: (service: Service) => Promise<Response>) =>
  Promise.all(Array.from({ length: 50 }, (_, i) => call(services[i % 2 === 0 ? 0 : 1])));

async function expectOneWinner(answers: Response[]): Promise<{ access_token: string }> {
  const winners = answers.filter((answer) => answer.status === 200);
  expect(winners).toHaveLength(1);
  for (const answer of answers)
    if (answer.status !== 200) expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
  return (await winners[0]!.json()) as { access_token: string };
}

test('of 50 parallel exchanges of one code, one succeeds', async () => {
  const code = await newCode();
  const { access_token } = await expectOneWinner(await fiftyTimes((service) => exchange(service, code)));
  // Every other try was a replay, which takes back what the first one gave (RFC 6749 §4.1.2).
  expect(await userinfo(services[1], access_token)).toBe(401);
});

test('of 50 parallel refreshes of one token, one succeeds', async () => {
  const { refresh_token, access_token } = await newTokens();
  const refreshed = await fiftyTimes((service) => token(service, { grant_type: 'refresh_token', refresh_token }));
  const next = await expectOneWinner(refreshed);
  for (const service of services) {
    expect(await userinfo(service, next.access_token)).toBe(200);
    expect(await userinfo(service, access_token)).toBe(401);
  }
});

test('of 50 parallel answers to one pushed request, one succeeds', async () => {
  const request = { response_type: 'code', redirect_uri: callback, scope: 'openid' };
  const pushed = await asClient(services[0], '/api/oauth2/par', request);
  const { request_uri } = (await pushed.json()) as { request_uri: string };
  const decision = { client_id: client.client_id, request_uri, approved: true };
  const answers = await fiftyTimes((service) => asUser(service, '/api/oauth2/authorize', decision));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const answer of answers)
    if (answer.status !== 200) expect(await answer.json()).toMatchObject({ error: 'invalid_request_uri' });
});

test('of 50 parallel polls with one device code, one gets tokens', async () => {
  const started = await asClient(services[0], '/api/oauth2/device_authorization', { scope: 'openid' });
  const { device_code, user_code } = (await started.json()) as { device_code: string; user_code: string };
  await asUser(services[1], '/api/oauth2/device', { user_code, approved: true });
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  const { access_token } = await expectOneWinner(
    await fiftyTimes((service) => token(service, { grant_type, device_code })),
  );
  for (const service of services) expect(await userinfo(service, access_token)).toBe(200);
});

test('of 50 parallel uses of one DPoP proof, one succeeds', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = await exportJWK(publicKey);
  const prove = (htm: string, path: string, claims = {}) =>
    new SignJWT({ htm, htu: baseUrl + path, jti: randomString(20), ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
      .setIssuedAt()
      .sign(privateKey);
  const [tokenPath, userinfoPath] = ['/api/oauth2/token', '/api/oauth2/userinfo'];
  const fields = { grant_type: 'authorization_code', code: await newCode(), redirect_uri: callback };
  const issued = await asClient(services[0], tokenPath, fields, { dpop: await prove('POST', tokenPath) });
  const { access_token } = (await issued.json()) as { access_token: string };
  const ath = createHash('sha256').update(access_token).digest('base64url');
  const headers = { authorization: `DPoP ${access_token}`, dpop: await prove('GET', userinfoPath, { ath }) };
  const answers = await fiftyTimes(({ url }) => fetch(url + userinfoPath, { headers }));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const answer of answers)
    if (answer.status !== 200) expect(await answer.json()).toMatchObject({ error: 'invalid_dpop_proof' });
});

test('of 50 parallel uses of one client assertion, one succeeds', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwks = { keys: [await exportJWK(publicKey)] };
  const body = { name: 'Signing', redirect_uris: [callback], scopes: 'openid', jwks };
  const made = await user.api<{ client_id: string }>('/api/oauth2/applications', { method: 'POST', body });
  const client_assertion = await new SignJWT({ jti: randomString(20) })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer(made.client_id)
    .setSubject(made.client_id)
    .setAudience(baseUrl)
    .setExpirationTime('60s')
    .sign(privateKey);
  const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  const proof = { client_assertion_type, client_assertion };
  const answers = await fiftyTimes(({ url }) =>
    fetch(`${url}/api/oauth2/device_authorization`, { method: 'POST', body: new URLSearchParams(proof) }),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const answer of answers)
    if (answer.status !== 200) expect(await answer.json()).toMatchObject({ error: 'invalid_client' });
});

test('revoking and suspending in one process take effect in the other immediately', async () => {
  const first = await newTokens();
  expect(await userinfo(services[1], first.access_token)).toBe(200);
  const revoked = new URLSearchParams({ token: first.refresh_token });
  await fetch(`${services[0].url}/api/oauth2/revoke`, { method: 'POST', body: revoked });
  expect(await userinfo(services[1], first.access_token)).toBe(401);
  const second = await newTokens();
  const body = { app_id: client.id };
  await services[0].root.api('/api/oauth2/admin/applications/suspend', { method: 'POST', body });
  expect(await userinfo(services[1], second.access_token)).toBe(403);
  expect((await exchange(services[1], 'x')).status).toBe(403);
  await services[1].root.api('/api/oauth2/admin/applications/activate', { method: 'POST', body });
  expect(await userinfo(services[0], second.access_token)).toBe(401);
});

test('80 parallel requests in two processes stay within the user’s limit, and revoking ends access in both', async () => {
  const cost = 5;
  const limit = 150;
  const upstream = startUpstream(() =>
    Response.json({
      id: 'c',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: cost },
    }),
  );
  try {
    const { root } = services[0];
    await root.api('/api/admin/options', { method: 'PUT', body: { key: 'OAuth2OpenIDConnect', value: true } });
    const { modelId } = await services[0].serve({
      kind: 'openai',
      url: upstream.url,
      promptPrice: 2,
      completionPrice: 2,
    });
    await root.api(`/api/admin/users/${user.id}/credits`, { method: 'POST', body: { quota: 1_000_000 } });
    await user.api(`/api/oauth2/applications/${client.id}`, { method: 'PUT', body: { scopes: 'openid models:use' } });
    const agreed = { client_id: client.client_id, redirect_uri: callback, approved: true };
    const { redirect_url } = await user.api<{ redirect_url: string }>('/api/oauth2/authorize', {
      method: 'POST',
      body: { ...agreed, scope: 'openid models:use', spending_limit: limit },
    });
    const code = new URL(redirect_url).searchParams.get('code')!;
    const { access_token } = (await (await exchange(services[0], code)).json()) as { access_token: string };
    const ask = (service: Service) =>
      service.post(
        '/v1/chat/completions',
        { model: modelId, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
        { key: access_token },
      );
    // The model has reached both.
    for (const service of services) await until('the model is known', async () => (await ask(service)).status === 200);
    const before = (await spentOf(user)).spent;
    const answers = await Promise.all(Array.from({ length: 80 }, (_, i) => ask(services[i % 2 === 0 ? 0 : 1])));
    const answered = answers.filter(({ status }) => status === 200).length;
    for (const answer of answers) expect([200, 403]).toContain(answer.status);
    const { spent } = await spentOf(user);
    expect(spent).toBe(before + answered * cost);
    expect(spent).toBeLessThanOrEqual(limit);
    expect(answered).toBeLessThan(80);
    await user.api(`/api/oauth2/consents/${client.id}`, { method: 'DELETE' });
    for (const service of services)
      await until('the token counts no more', async () => (await ask(service)).status === 401);
  } finally {
    upstream.stop();
  }
});

/** As the user sees it on the page of authorized applications. */
async function spentOf(caller: Caller): Promise<{ spent: number }> {
  const { consents } = await caller.api<{ consents: { application_id: number; spent: number }[] }>(
    '/api/oauth2/consents',
  );
  return consents.find(({ application_id }) => application_id === client.id)!;
}
