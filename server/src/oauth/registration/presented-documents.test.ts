import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { deviceGrant } from '../device/codes.ts';
import { faultOf, jsonOf, newVerifier, type TestClient } from '../oauth.fixture.ts';
import { askFor, leadsTo, type OpenidTest, openOpenidTest } from '../openid/openid.fixture.ts';
import { s256 } from '../pkce.ts';
import { type DocumentServer, documentOf, documentServers, redirectUri } from './documents.fixture.ts';

/* Clients that come themselves, before anybody who has logged in: with a pushed request, or as a device. */

let t: OpenidTest;
const { serve, stop } = documentServers();
beforeAll(async () => {
  t = await openOpenidTest({ env: { ALLOW_PRIVATE_WEBHOOKS: '1', TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => t.close());
afterEach(stop);

const verifier = newVerifier();
const challenge = { code_challenge: s256(verifier), code_challenge_method: 'S256' };
/** Each test comes from an address of its own, as the proxy before us tells: limits count by it. */
let tests = 0;
beforeEach(() => {
  tests += 1;
});
const from = () => ({ 'x-forwarded-for': `192.0.2.${tests}` });
const push = ({ clientId }: TestClient, fields: Record<string, string> = {}) =>
  t.post(
    '/api/oauth2/par',
    {
      ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope: 'openid profile' },
      ...{ ...challenge, ...fields },
    },
    from(),
  );
const start = ({ clientId }: TestClient) =>
  t.post('/api/oauth2/device_authorization', { client_id: clientId, scope: 'openid' }, from());
const rowOf = ({ url }: { url: string }) =>
  t.platform.database.db.selectFrom('oauth_applications').selectAll().where('client_id', '=', url).executeTakeFirst();
const at = (server: DocumentServer, query: string): TestClient => ({
  ...server.client,
  clientId: `${server.url}?${query}`,
});
/** Whatever stands behind its address describes another client. */
const serveMany = () => serve((url, request) => Response.json(documentOf(`${url}${new URL(request.url).search}`)));

test('a pushed request can be the first contact of a client', async () => {
  const server = serve();
  const pushed = await push(server.client);
  expect(pushed.status).toBe(201);
  const { request_uri } = await jsonOf(pushed);
  const named = { client_id: server.url, request_uri };
  const shown = (await jsonOf(t.member.call(`/api/oauth2/authorize?${new URLSearchParams(named)}`))).data;
  expect(shown.application).toMatchObject({ name: 'Some client', source: 'document', host: new URL(server.url).host });
  const answer = t.member.call('/api/oauth2/authorize', { method: 'POST', body: { ...named, approved: true } });
  const code = (await leadsTo(answer)).get('code')!;
  const tokens = await jsonOf(t.exchange(server.client, { code, code_verifier: verifier }));
  expect(tokens.access_token).toStartWith('svcat_');
  expect(server.asked).toBe(1);
});

test('a device code request can be the first contact of a client', async () => {
  const server = serve();
  const started = await start(server.client);
  expect(started.status).toBe(200);
  const { device_code, user_code } = await jsonOf(started);
  const shown = (await jsonOf(t.member.call(`/api/oauth2/device?user_code=${user_code}`))).data;
  expect(shown.application).toMatchObject({ source: 'document', host: new URL(server.url).host });
  await t.member.call('/api/oauth2/device', { method: 'POST', body: { user_code, approved: true } });
  const polled = t.post('/api/oauth2/token', { grant_type: deviceGrant, device_code, client_id: server.url });
  expect((await jsonOf(polled)).access_token).toStartWith('svcat_');
});

test('a changed document applies to pushed requests', async () => {
  let redirect_uris = [redirectUri];
  const server = serve((url) => Response.json(documentOf(url, { redirect_uris })));
  expect((await push(server.client)).status).toBe(201);
  redirect_uris = ['https://client.example/moved'];
  t.clock.advance(301_000);
  expect(await faultOf(push(server.client))).toEqual([400, 'invalid_request']);
  expect((await push(server.client, { redirect_uri: 'https://client.example/moved' })).status).toBe(201);
  expect(server.asked).toBe(2);
});

test.each([
  ['push', push],
  ['device', start],
] as const)('%s: errors are returned to the client, and nothing is stored', async (_, come) => {
  const broken = serve((url) => Response.json(documentOf(url, { client_secret: 'x' })));
  for (let times = 0; times < 2; times += 1)
    expect(await faultOf(come(broken.client))).toEqual([400, 'invalid_request']);
  expect(broken.asked).toBe(1);
  expect(await rowOf(broken)).toBeUndefined();
  const plain = { ...broken.client, clientId: 'http://client.example/client.json' };
  expect(await faultOf(come(plain))).toEqual([401, 'invalid_client']);
});

test('the document of a suspended client is not fetched again, and it stays rejected', async () => {
  const server = serve();
  await push(server.client);
  await t.act('suspend', (await rowOf(server))!.id);
  t.clock.advance(301_000);
  expect(await faultOf(push(server.client))).toEqual([403, 'access_denied']);
  expect(await faultOf(start(server.client))).toEqual([403, 'access_denied']);
  expect(server.asked).toBe(1);
});

test('fetches for clients do not use up the limit for logged-in users', async () => {
  const server = serveMany();
  const statuses: number[] = [];
  for (let n = 0; n < 5; n += 1) statuses.push((await push(at(server, `n=${n}`))).status);
  expect(statuses).toEqual([201, 201, 201, 429, 429]);
  expect(server.asked).toBe(3);
  const asked = await t.member.call(askFor(at(server, 'n=9'), challenge));
  expect(asked.status).toBe(200);
});

test('a known client is accepted as cached when the fetch limit is reached', async () => {
  const server = serveMany();
  expect((await push(server.client)).status).toBe(201);
  t.clock.advance(301_000);
  for (let n = 0; n < 3; n += 1) await push(at(server, `n=${n}`));
  const { asked } = server;
  expect((await push(at(server, 'n=3'))).status).toBe(429);
  expect((await push(server.client)).status).toBe(201);
  expect(server.asked).toBe(asked);
});

test('fetches per IP address are limited', async () => {
  const servers = Array.from({ length: 11 }, () => serve());
  const statuses: number[] = [];
  for (const { client } of servers) statuses.push((await push(client)).status);
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 201), 429]);
});
