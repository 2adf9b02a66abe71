import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { AppError } from '../../lib/errors.ts';
import { faultOf, jsonOf, newVerifier } from '../oauth.fixture.ts';
import { askFor, type OpenidTest, openOpenidTest } from '../openid/openid.fixture.ts';
import { s256 } from '../pkce.ts';
import { type DocumentServer, documentOf, documentServers, redirectUri } from './documents.fixture.ts';

/* What is kept of clients that a document describes: for how long, how many of them, and what becomes of it when they are not wanted any more. */

let t: OpenidTest;
const { serve, stop } = documentServers();
beforeAll(async () => {
  t = await openOpenidTest({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
});
afterAll(() => t.close());
afterEach(stop);

const verifier = newVerifier();
const challenge = { code_challenge: s256(verifier), code_challenge_method: 'S256' };
const ask = ({ client }: DocumentServer) => t.member.call(askFor(client, challenge));
const rowOf = ({ url }: { url: string }) =>
  t.platform.database.db.selectFrom('oauth_applications').selectAll().where('client_id', '=', url).executeTakeFirst();

/** A client that takes its address back, or whose address was taken over and given back, between a user's yes and its exchange. */
const moving = () => {
  const said = { redirect_uris: [redirectUri, 'https://client.example/moved'] };
  return { said, server: serve((url) => Response.json(documentOf(url, said))) };
};

test('a code for a redirect URI that the document no longer lists is rejected', async () => {
  const { said, server } = moving();
  const code = await t.code(server.client, challenge);
  said.redirect_uris = ['https://client.example/moved'];
  t.clock.advance(301_000);
  // Somebody else comes, and the document is read again.
  expect((await ask(server)).status).toBe(400);
  expect(server.asked).toBe(2);
  expect(await faultOf(t.exchange(server.client, { code, code_verifier: verifier }))).toEqual([400, 'invalid_grant']);
});

test('a cached document is not fetched for an exchange', async () => {
  const { said, server } = moving();
  const code = await t.code(server.client, challenge);
  said.redirect_uris = ['https://client.example/moved'];
  expect((await t.exchange(server.client, { code, code_verifier: verifier })).status).toBe(200);
  expect(server.asked).toBe(1);
});

test('without the store that processes share, documents are read all the same, and broken ones named', async () => {
  const { get, set } = t.platform.shared;
  const away = async () => {
    throw new AppError('unavailable', 'Shared state is unreachable.');
  };
  Object.assign(t.platform.shared, { get: away, set: away });
  try {
    expect((await ask(serve())).status).toBe(200);
    const broken = serve(() => Response.json({ client_id: 'https://another.example' }));
    expect((await ask(broken)).status).toBe(400);
  } finally {
    Object.assign(t.platform.shared, { get, set });
  }
});

test('its tokens are revoked with its client id, and with no other', async () => {
  const [server, other] = [serve(), serve()];
  const tokens = await t.tokens(server.client);
  await t.tokens(other.client);
  const revoke = (client_id: string) => t.post('/api/oauth2/revoke', { token: tokens.refresh_token, client_id });
  expect((await revoke(other.url)).status).toBe(200);
  expect((await t.userinfo(tokens.access_token)).status).toBe(200);
  expect((await revoke(server.url)).status).toBe(200);
  expect((await t.userinfo(tokens.access_token)).status).toBe(401);
  expect(await faultOf(t.refresh(server.client, tokens.refresh_token))).toEqual([400, 'invalid_grant']);
});

test('revoking the consent ends its tokens, and the client may ask again', async () => {
  const server = serve();
  const tokens = await t.tokens(server.client);
  const { id } = (await rowOf(server))!;
  expect((await t.member.call(`/api/oauth2/consents/${id}`, { method: 'DELETE' })).status).toBe(200);
  expect((await t.userinfo(tokens.access_token)).status).toBe(401);
  expect((await jsonOf(ask(server))).data).toMatchObject({ has_existing_consent: false });
});

test('of clients without consent, only the newest are kept', async () => {
  const [used, first, suspended] = [serve(), serve(), serve()];
  await t.tokens(used.client);
  await ask(first);
  await ask(suspended);
  await t.act('suspend', (await rowOf(suspended))!.id);
  const { db } = t.platform.database;
  const { id: _, ...row } = (await rowOf(first))!;
  const many = Array.from({ length: 999 }, (_, n) => ({ ...row, client_id: `https://client.example/${n}` }));
  for (let at = 0; at < many.length; at += 333)
    await db
      .insertInto('oauth_applications')
      .values(many.slice(at, at + 333))
      .execute();
  const last = serve();
  expect((await ask(last)).status).toBe(200);
  expect(await rowOf(first)).toBeUndefined();
  for (const kept of [used, suspended, last, { url: 'https://client.example/998' }])
    expect(await rowOf(kept)).toBeDefined();
  // Whoever was asked about it just then can still answer.
  expect((await t.tokens(first.client)).access_token).toStartWith('svcat_');
  await db.deleteFrom('oauth_applications').where('client_id', 'like', 'https://client.example/%').execute();
});

test('can be turned off with its own option, at every endpoint', async () => {
  const [known, unknown] = [serve(), serve()];
  const tokens = await t.tokens(known.client);
  const device = (client_id: string) => t.post('/api/oauth2/device_authorization', { client_id, scope: 'openid' });
  const { user_code } = await jsonOf(device(known.url));
  await t.setOption('OAuth2ClientDocuments', false);
  const silent = { response_type: 'code', redirect_uri: redirectUri, scope: 'openid', prompt: 'none', ...challenge };
  for (const { client, url } of [known, unknown]) {
    const asked = { client_id: url, ...silent };
    expect([
      (await t.member.call(askFor(client, challenge))).status,
      (await t.decide(client, challenge)).status,
      (await t.member.call('/api/oauth2/authorize/silent', { method: 'POST', body: asked })).status,
      (await t.post('/api/oauth2/par', asked)).status,
      (await device(url)).status,
    ]).toEqual([404, 404, 404, 401, 401]);
  }
  expect((await t.member.call(`/api/oauth2/device?user_code=${user_code}`)).status).toBe(404);
  expect([known.asked, unknown.asked]).toEqual([1, 0]);
  const places = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'];
  for (const place of places)
    expect(await jsonOf(t.call(place))).toMatchObject({ client_id_metadata_document_supported: false });
  // What users gave lasts until they take it back.
  const again = await t.refresh(known.client, tokens.refresh_token);
  expect(again.status).toBe(200);
  await t.post('/api/oauth2/revoke', { token: (await jsonOf(again)).refresh_token, client_id: known.url });
  // And applications of others are none of it.
  expect((await t.tokens(await t.client())).access_token).toStartWith('svcat_');
  await t.setOption('OAuth2ClientDocuments', true);
  expect((await ask(known)).status).toBe(200);
});
