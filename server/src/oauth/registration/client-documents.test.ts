import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { faultOf, jsonOf, newVerifier, openOAuthTest } from '../oauth.fixture.ts';
import { askFor, leadsTo, type OpenidTest, openOpenidTest } from '../openid/openid.fixture.ts';
import { s256 } from '../pkce.ts';
import { type DocumentServer, documentOf, documentServers, redirectUri } from './documents.fixture.ts';
import { openClientSweep } from './sweep.ts';

/* Clients that nobody registered: what they are is said by a document at their client id, by whoever wrote it. */

let t: OpenidTest;
const { serve, stop } = documentServers();
beforeAll(async () => {
  t = await openOpenidTest({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
});
afterAll(() => t.close());
afterEach(stop);

const challenge = { code_challenge: s256(newVerifier()), code_challenge_method: 'S256' };
const ask = ({ client }: DocumentServer, fields: Record<string, string> = {}) =>
  t.member.call(askFor(client, { ...challenge, ...fields }));
const described = async (server: DocumentServer) => (await jsonOf(ask(server))).data;
const rowOf = ({ url }: { url: string }) =>
  t.platform.database.db.selectFrom('oauth_applications').selectAll().where('client_id', '=', url).executeTakeFirst();

test('an unregistered client signs a user in, within the limits of its document', async () => {
  const server = serve();
  expect((await described(server)).application).toMatchObject({
    ...{ name: 'Some client', client_id: server.url, is_verified: false, logo_url: '' },
    ...{ source: 'document', host: new URL(server.url).host },
  });
  const { client } = server;
  const tokens = await t.tokens(client, { scope: 'openid profile' });
  expect((await t.userinfo(tokens.access_token)).status).toBe(200);
  expect((await t.refresh(client, tokens.refresh_token)).status).toBe(200);
  // On whatever port it listens.
  const onPort = { ...client, redirectUri: 'http://127.0.0.1:49152/callback' };
  expect((await t.tokens(onPort)).access_token).toStartWith('svcat_');
  for (const redirect_uri of ['https://client.example/other', 'https://evil.example/callback', `${redirectUri}/x`]) {
    const refused = await ask(server, { redirect_uri });
    expect(refused.status).toBe(400);
    expect(await jsonOf(refused)).not.toHaveProperty('redirect_url');
  }
  // Read once for all of it.
  expect(server.asked).toBe(1);
  expect(await rowOf(server)).toMatchObject({ owner_id: null, source: 'document', app_type: 'public' });
});

test('such a client is public: PKCE is required, and any secret is rejected', async () => {
  const { client } = serve();
  const told = await leadsTo(t.member.call(askFor(client)));
  expect(told.get('error')).toBe('invalid_request');
  const verifier = newVerifier();
  const code = await t.code(client, { code_challenge: s256(verifier), code_challenge_method: 'S256' });
  const withSecret = t.exchange(client, { code, code_verifier: verifier, client_secret: 'x' });
  expect(await faultOf(withSecret)).toEqual([401, 'invalid_client']);
  expect((await t.exchange(client, { code, code_verifier: verifier })).status).toBe(200);
});

test('consents, tokens and the audit log treat it like any application', async () => {
  const server = serve();
  const tokens = await t.tokens(server.client);
  const { id } = (await rowOf(server))!;
  const consents = (await jsonOf(t.member.call('/api/oauth2/consents'))).data.consents;
  expect(consents).toContainEqual(
    expect.objectContaining({ application_id: id, app_name: 'Some client', app_host: new URL(server.url).host }),
  );
  const root = await t.root();
  const listed = (await jsonOf(root.call(`/api/oauth2/admin/applications?q=${encodeURIComponent(server.url)}`))).data;
  expect(listed.applications).toMatchObject([{ id, owner_username: '', source: 'document' }]);
  const { logs } = (await jsonOf(root.call(`/api/oauth2/admin/audit?application_id=${id}`))).data;
  const events = logs.map(({ event_type }: { event_type: string }) => event_type);
  for (const event of ['app_created', 'authorization_granted', 'token_issued']) expect(events).toContain(event);
  expect((await t.owner.call(`/api/oauth2/applications/${id}`)).status).toBe(403);
  await t.act('suspend', id);
  expect((await t.userinfo(tokens.access_token)).status).toBe(403);
  expect((await ask(server)).status).toBe(403);
});

test('a changed document takes effect and removes the verification', async () => {
  let fields: Record<string, unknown> = {};
  const server = serve((url) =>
    Response.json(documentOf(url, fields), { headers: { 'cache-control': 'max-age=600' } }),
  );
  const tokens = await t.tokens(server.client);
  const { id } = (await rowOf(server))!;
  await t.act('verify', id);
  fields = { client_name: 'Renamed', redirect_uris: ['https://client.example/moved'] };
  t.clock.advance(599_000);
  expect((await described(server)).application).toMatchObject({ name: 'Some client', is_verified: true });
  t.clock.advance(2_000);
  expect((await ask(server)).status).toBe(400);
  expect(server.asked).toBe(2);
  const moved = await described({
    ...server,
    client: { ...server.client, redirectUri: 'https://client.example/moved' },
  });
  expect(moved.application).toMatchObject({ id, name: 'Renamed', is_verified: false });
  expect((await t.refresh(server.client, tokens.refresh_token)).status).toBe(200);
});

test.each([
  ['no-store', 300],
  ['max-age=1', 300],
  ['max-age=999999999', 86_400],
  ['public, max-age=7200', 7200],
  ['', 300],
])('a document with %p is cached for %d seconds', async (control, seconds) => {
  const server = serve((url) => Response.json(documentOf(url), { headers: { 'cache-control': control } }));
  await described(server);
  expect((await rowOf(server))!.document_expires_at).toBe(Math.floor(t.clock.nowMs() / 1000) + seconds);
});

type Broken = [what: string, says: string, answer: (url: string) => Response];
const json = { headers: { 'content-type': 'application/json' } };
const withFields = (fields: Record<string, unknown>) => (url: string) => Response.json(documentOf(url, fields));
const broken: Broken[] = [
  ['a redirect', 'redirects', (url) => new Response(null, { status: 302, headers: { location: `${url}?good` } })],
  ['status 404', 'status 404', () => new Response('{}', { status: 404, ...json })],
  ['a megabyte', '5 KiB', (url) => Response.json({ ...documentOf(url), more: 'x'.repeat(1024 * 1024) })],
  ['HTML', 'not JSON', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
  ['HTML declared as JSON', 'not a JSON object', () => new Response('<html>', json)],
  ['no content type', 'not JSON', (url) => new Response(new TextEncoder().encode(JSON.stringify(documentOf(url))))],
  ['a list', 'not a JSON object', () => Response.json([])],
  ['invalid UTF-8', 'not a JSON object', () => new Response(new Uint8Array([0x7b, 0xff, 0x7d]), json)],
  ['another client_id', 'different client_id', withFields({ client_id: 'https://client.example/client.json' })],
  ['no client_id', 'different client_id', withFields({ client_id: undefined })],
  ['a secret', 'secret', withFields({ client_secret: 'x' })],
  ['a secret as auth method', 'none', withFields({ token_endpoint_auth_method: 'client_secret_basic' })],
  ['private_key_jwt without keys', 'jwks', withFields({ token_endpoint_auth_method: 'private_key_jwt' })],
  ['no redirect URIs', 'redirect_uris', withFields({ redirect_uris: [] })],
  ['a redirect URI that is not in a list', 'redirect_uris', withFields({ redirect_uris: redirectUri })],
  ['a script as redirect URI', 'redirect_uris', withFields({ redirect_uris: ['javascript:alert(1)'] })],
  ['a wildcard redirect URI', 'redirect_uris', withFields({ redirect_uris: ['https://*.example/cb'] })],
  ['a name with invisible characters', 'client_name', withFields({ client_name: 'My\u202ebank' })],
  ['another response type', 'response_types', withFields({ response_types: ['token'] })],
];

test.each(broken)('a document with %s is rejected, and not fetched again immediately', async (_, says, answer) => {
  const server = serve(answer);
  for (let times = 0; times < 2; times += 1) {
    const refused = await ask(server);
    expect(refused.status).toBe(400);
    const body = await jsonOf(refused);
    expect(body).not.toHaveProperty('redirect_url');
    expect([body.error, body.message]).toEqual(['invalid_request', expect.stringContaining(says)]);
  }
  expect((await t.decide(server.client, challenge)).status).toBe(400);
  expect(server.asked).toBe(1);
  expect(await rowOf(server)).toBeUndefined();
});

test('a document that does not load times out', async () => {
  const server = serve(async () => {
    await Bun.sleep(60_000);
    return new Response();
  });
  expect((await jsonOf(ask(server))).message).toContain('did not load within');
});

test('if a document breaks later, existing tokens work, but no new request is accepted', async () => {
  let works = true;
  const server = serve((url) => (works ? Response.json(documentOf(url)) : new Response('gone', { status: 410 })));
  const tokens = await t.tokens(server.client);
  works = false;
  t.clock.advance(301_000);
  expect((await ask(server)).status).toBe(400);
  expect((await t.refresh(server.client, tokens.refresh_token)).status).toBe(200);
});

test('documents are not fetched for users who are not logged in', async () => {
  const server = serve();
  const silent = (by: Pick<typeof t.member, 'call'>) =>
    by.call('/api/oauth2/authorize/silent', {
      method: 'POST',
      body: {
        ...{ response_type: 'code', client_id: server.url, redirect_uri: redirectUri, scope: 'openid' },
        ...{ prompt: 'none', ...challenge },
      },
    });
  expect((await silent({ call: t.call })).status).toBe(404);
  expect(server.asked).toBe(0);
  expect((await leadsTo(silent(t.member))).get('error')).toBe('consent_required');
  expect((await leadsTo(silent({ call: t.call }))).get('error')).toBe('login_required');
  expect(server.asked).toBe(1);
});

test('a homepage is shown only if it has the document’s host', async () => {
  const own = serve((url) => Response.json(documentOf(url, { client_uri: new URL('/about', url).href })));
  expect((await described(own)).application.homepage_url).toBe(new URL('/about', own.url).href);
  const lent = serve(withFields({ client_uri: 'https://bank.example/', logo_uri: 'https://bank.example/logo.png' }));
  expect((await described(lent)).application).toMatchObject({ homepage_url: '', logo_url: '' });
});

test('concurrent requests share one fetch, and fetches per host are limited', async () => {
  const server = serve();
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(server)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(server.asked).toBe(1);
  const statuses: number[] = [];
  for (let n = 0; n < 12; n += 1)
    statuses.push((await ask({ ...server, client: { ...server.client, clientId: `${server.url}?${n}` } })).status);
  expect(statuses).toContain(429);
  expect(server.asked).toBeLessThanOrEqual(10);
});

test.each([
  'https://client.example',
  'https://client.example/',
  'https://client.example/a/../b',
  'https://client.example/a#b',
  'https://user@client.example/a',
  'HTTPS://client.example/a',
  'http://client.example/a',
  'ftp://client.example/a',
  `https://client.example/${'x'.repeat(300)}`,
])('%s is not a client id of a document', async (clientId) => {
  const answer = await t.member.call(askFor({ id: 0, clientId, secret: '', redirectUri }, challenge));
  expect(answer.status).toBe(404);
});

test('private addresses are not fetched unless allowed', async () => {
  const strict = await openOpenidTest();
  const server = serve();
  const { port } = new URL(server.url);
  const statusOf = async (clientId: string) => {
    const answer = await strict.member.call(askFor({ ...server.client, clientId }, challenge));
    return [answer.status, (await jsonOf(answer)).message];
  };
  expect((await statusOf(server.url))[0]).toBe(404);
  const named = ['127.0.0.1', 'localhost', '[::1]', '169.254.169.254', '10.0.0.1'];
  for (const host of named)
    expect(await statusOf(`https://${host}:${port}/client.json`)).toEqual([
      400,
      expect.stringContaining('is not allowed'),
    ]);
  expect(server.asked).toBe(0);
  await strict.close();
});

test('clients without consent are deleted a day after their document expired; used and suspended ones stay', async () => {
  const { db } = t.platform.database;
  const sweep = openClientSweep({ db, clock: t.clock, lookups: { forget: () => {} } });
  const [unused, used, suspended] = [serve(), serve(), serve()];
  await described(unused);
  await t.tokens(used.client);
  await described(suspended);
  await t.act('suspend', (await rowOf(suspended))!.id);
  t.clock.advance(86_400_000);
  await sweep();
  expect(await rowOf(unused)).toBeDefined();
  t.clock.advance(400_000);
  await sweep();
  expect(await rowOf(unused)).toBeUndefined();
  expect(await rowOf(used)).toBeDefined();
  expect((await ask(suspended)).status).toBe(403);
});

test('origins of such clients are not allowed for CORS', async () => {
  let redirect_uris = ['https://unregistered.example/callback'];
  const server = serve((url) => Response.json(documentOf(url, { redirect_uris })));
  await ask(server);
  await t.setOption('CorsEnabled', true);
  const allowed = async () =>
    (await t.call('/v1/models', { headers: { origin: 'https://unregistered.example' } })).headers.get(
      'access-control-allow-origin',
    );
  expect(await allowed()).toBeNull();
  await t.act('verify', (await rowOf(server))!.id);
  expect(await allowed()).toBe('https://unregistered.example');
  // What the administrator verified is no more.
  redirect_uris = [...redirect_uris, 'https://elsewhere.example/callback'];
  t.clock.advance(301_000);
  await ask(server);
  expect(server.asked).toBe(2);
  expect(await allowed()).toBeNull();
});

test('without OpenID Connect, an address is not a client id', async () => {
  const server = serve();
  await described(server);
  const off = await openOAuthTest({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  expect((await off.member.call(askFor(server.client, challenge))).status).toBe(404);
  await off.close();
  await t.setOption('OAuth2OpenIDConnect', false);
  expect((await ask(server)).status).toBe(404);
  await t.setOption('OAuth2OpenIDConnect', true);
  expect(server.asked).toBe(1);
});
