import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sha256Hex } from '../../lib/hashing.ts';
import { newProver } from '../dpop/dpop.fixture.ts';
import { basic, faultOf, jsonOf, openOAuthTest, type TestClient } from '../oauth.fixture.ts';
import { askFor, leadsTo, type OpenidTest, openOpenidTest } from '../openid/openid.fixture.ts';

const path = '/api/oauth2/par';
const unusable: [number, unknown] = [400, 'invalid_request_uri'];
type Fields = Record<string, string | undefined>;
type Caller = Pick<OpenidTest['member'], 'call'>;

let t: OpenidTest;
let client: TestClient;
beforeAll(async () => {
  t = await openOpenidTest();
  client = await t.client();
});
afterAll(() => t.close());

const push = (of: TestClient, fields: Fields = {}, headers: Record<string, string> = {}) =>
  t.post(
    path,
    {
      ...{ response_type: 'code', client_id: of.clientId, client_secret: of.secret || undefined },
      ...{ redirect_uri: of.redirectUri, scope: 'openid profile', state: 'kept', ...fields },
    },
    headers,
  );
const pushed = async (of = client, fields: Fields = {}): Promise<string> => {
  const answer = await push(of, fields);
  if (answer.status !== 201) throw new Error(`not pushed: ${answer.status} ${await answer.text()}`);
  return (await jsonOf(answer)).request_uri;
};
const look = (of: TestClient, request_uri: string, by: Caller = t.member) =>
  by.call(`/api/oauth2/authorize?${new URLSearchParams({ client_id: of.clientId, request_uri })}`);
const decide = (of: TestClient, request_uri: string, fields: Record<string, unknown> = {}, by: Caller = t.member) =>
  by.call('/api/oauth2/authorize', {
    method: 'POST',
    body: { client_id: of.clientId, request_uri, approved: true, ...fields },
  });
const codeOf = async (answer: Response | Promise<Response>) => (await leadsTo(answer)).get('code')!;

test('a request is pushed, shown and approved, and gives a code like any other', async () => {
  const answer = await push(client, { nonce: 'n-1' });
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
  const body = await jsonOf(answer);
  expect(body).toEqual({
    request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:\w{43}$/),
    expires_in: 60,
  });
  const shown = (await jsonOf(look(client, body.request_uri))).data;
  expect(shown).toMatchObject({ redirect_uri: client.redirectUri, state: 'kept', interaction: null });
  expect(shown.requested_scopes.map(({ name }: { name: string }) => name)).toEqual(['openid', 'profile']);
  const told = await leadsTo(decide(client, body.request_uri));
  expect([told.get('state'), told.get('iss')]).toEqual(['kept', t.config.baseUrl]);
  const tokens = await jsonOf(t.exchange(client, { code: told.get('code')! }));
  expect(tokens.scope).toBe('openid profile');
  expect(await t.verified(tokens.id_token, client.clientId)).toMatchObject({ nonce: 'n-1' });
});

test('parameters beside request_uri are ignored', async () => {
  const uri = await pushed();
  const others = { scope: 'openid tokens:write', state: 'other', redirect_uri: 'https://attacker.example/' };
  const told = await leadsTo(decide(client, uri, others));
  expect(told.get('state')).toBe('kept');
  expect((await jsonOf(t.exchange(client, { code: told.get('code')! }))).scope).toBe('openid profile');
});

test('the page can be reloaded, and only one answer is accepted', async () => {
  const uri = await pushed();
  for (let n = 0; n < 3; n += 1) expect((await look(client, uri)).status).toBe(200);
  expect(await codeOf(decide(client, uri))).toBeTruthy();
  for (const again of [look(client, uri), decide(client, uri), decide(client, uri, { approved: false })]) {
    const answer = await again;
    expect(await jsonOf(answer.clone())).not.toHaveProperty('redirect_url');
    expect(await faultOf(answer)).toEqual(unusable);
  }
  const denied = await pushed();
  expect((await leadsTo(decide(client, denied, { approved: false }))).get('error')).toBe('access_denied');
  expect(await faultOf(decide(client, denied))).toEqual(unusable);
});

test.each([
  ['all approvals', () => true],
  ['some denials', (i: number) => i % 5 !== 0],
])('of 50 concurrent answers, %s, one counts', async (_, says) => {
  const own = await t.client();
  const uri = await pushed(own);
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => decide(own, uri, { approved: says(i) })));
  const won = answers.filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  const { db } = t.platform.database;
  const codes = await db.selectFrom('oauth_codes').select('id').where('application_id', '=', own.id).execute();
  expect(codes).toHaveLength((await leadsTo(won[0]!.clone())).has('code') ? 1 : 0);
  for (const answer of answers) if (answer.status !== 200) expect(await faultOf(answer)).toEqual(unusable);
});

test('foreign, unknown and oversized request_uris give the same error, without a redirect', async () => {
  const uri = await pushed();
  const other = await t.client();
  const unknown = `${uri.slice(0, -3)}AAA`;
  for (const [of, given] of [
    [other, uri],
    [client, unknown],
    [client, `${uri}x`],
    [client, `urn:ietf:params:oauth:request_uri:${'x'.repeat(5000)}`],
    [client, 'urn:ietf:params:oauth:request_uri:'],
  ] as const)
    for (const answer of [await look(of, given), await decide(of, given)]) {
      expect(await jsonOf(answer.clone())).not.toHaveProperty('redirect_url');
      expect(await faultOf(answer)).toEqual(unusable);
    }
  // It was theirs all the while.
  expect(await codeOf(decide(client, uri))).toBeTruthy();
});

test('a request expires after a minute if unopened, after ten minutes if opened in time', async () => {
  const [late, read, waiting] = [await pushed(), await pushed(), await pushed()];
  t.clock.advance(30_000);
  expect((await look(client, read)).status).toBe(200);
  const opened = (request_uri: string) =>
    t.call('/api/oauth2/authorize/opened', { method: 'POST', body: { client_id: client.clientId, request_uri } });
  // By somebody who is not logged in yet.
  expect((await jsonOf(opened(waiting))).data).toEqual({ silent: false });
  t.clock.advance(30_000);
  expect(await faultOf(look(client, late))).toEqual(unusable);
  expect(await faultOf(opened(late))).toEqual(unusable);
  expect(await faultOf(decide(client, late))).toEqual(unusable);
  t.clock.advance(530_000);
  expect(await codeOf(decide(client, read))).toBeTruthy();
  expect((await look(client, waiting)).status).toBe(200);
  t.clock.advance(10_000);
  expect(await faultOf(decide(client, waiting))).toEqual(unusable);
});

describe('errors are returned to the client, not by redirect', () => {
  test.each([
    ['no response_type', { response_type: undefined }, [400, 'invalid_request']],
    ['another response_type', { response_type: 'token' }, [400, 'unsupported_response_type']],
    ['no redirect_uri', { redirect_uri: undefined }, [400, 'invalid_request']],
    ['another redirect_uri', { redirect_uri: 'https://attacker.example/' }, [400, 'invalid_request']],
    ['an invalid scope', { scope: 'openid root' }, [400, 'invalid_scope']],
    ['a short challenge', { code_challenge: 'short', code_challenge_method: 'S256' }, [400, 'invalid_request']],
    ['an invalid prompt', { prompt: 'sometimes' }, [400, 'invalid_request']],
    ['a long nonce', { nonce: 'n'.repeat(1001) }, [400, 'invalid_request']],
    ['a long state', { state: 's'.repeat(8001) }, [400, 'invalid_request']],
    ['an oversized body', { login_hint: 'x'.repeat(70_000) }, [413, 'invalid_request']],
    ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, [400, 'request_not_supported']],
    ['a pushed request', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }, [400, 'invalid_request']],
    ['a wrong secret', { client_secret: 'svcsec_wrong' }, [401, 'invalid_client']],
    ['no secret', { client_secret: undefined }, [401, 'invalid_client']],
    ['an unknown client', { client_id: 'svc_unknown' }, [401, 'invalid_client']],
    ['no client', { client_id: undefined, client_secret: undefined }, [401, 'invalid_client']],
  ] as [string, Fields, [number, string]][])('%s', async (_, fields, fault) => {
    const answer = await push(client, fields);
    expect(await jsonOf(answer.clone())).not.toHaveProperty('redirect_url');
    expect(await faultOf(answer)).toEqual(fault);
  });

  test('rejects a public client without a challenge, a suspended client, and two authentication methods', async () => {
    const spa = await t.client({ app_type: 'public' });
    expect(await faultOf(push(spa))).toEqual([400, 'invalid_request']);
    expect((await push(spa, { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' })).status).toBe(201);
    expect(await faultOf(push(client, {}, { authorization: basic(client) }))).toEqual([400, 'invalid_request']);
    const headed = await push(client, { client_secret: undefined }, { authorization: basic(client) });
    expect(headed.status).toBe(201);
    const gone = await t.client();
    await t.act('suspend', gone.id);
    expect(await faultOf(push(gone))).toEqual([403, 'access_denied']);
  });
});

test('changes after the push apply: addresses, scopes, suspension', async () => {
  const own = await t.client();
  const uri = await pushed(own);
  const put = (body: unknown) => t.owner.call(`/api/oauth2/applications/${own.id}`, { method: 'PUT', body });
  await put({ redirect_uris: ['https://client.example/moved'] });
  expect(await faultOf(decide(own, uri))).toEqual([400, 'invalid_request']);
  await put({ redirect_uris: [own.redirectUri], scopes: 'openid' });
  expect((await leadsTo(decide(own, uri))).get('error')).toBe('invalid_scope');
  await t.act('suspend', own.id);
  expect(await faultOf(decide(own, uri))).toEqual([403, 'access_denied']);
});

test('with require_pushed_requests, requests that were not pushed are rejected', async () => {
  const strict = await t.client({ require_pushed_requests: true });
  const plain = await leadsTo(t.member.call(askFor(strict, { state: 's' })));
  expect([plain.get('error'), plain.get('state')]).toEqual(['invalid_request', 's']);
  expect((await leadsTo(t.decide(strict))).get('error')).toBe('invalid_request');
  expect(await codeOf(decide(strict, await pushed(strict)))).toBeTruthy();
});

test('prompt=none can be pushed, and the page learns of it before asking for a login', async () => {
  const known = await t.client();
  await t.act('verify', known.id);
  const uri = await pushed(known, { prompt: 'none' });
  const body = { client_id: known.clientId, request_uri: uri };
  const opened = await jsonOf(t.call('/api/oauth2/authorize/opened', { method: 'POST', body }));
  expect(opened.data).toEqual({ silent: true });
  const silent = (by: Caller | null) => (by?.call ?? t.call)('/api/oauth2/authorize/silent', { method: 'POST', body });
  expect((await leadsTo(silent(null))).get('error')).toBe('login_required');
  expect((await leadsTo(silent(t.member))).get('error')).toBe('consent_required');
  await t.code(known, { scope: 'openid profile' });
  expect(await codeOf(silent(t.member))).toBeTruthy();
  expect(await faultOf(silent(t.member))).toEqual(unusable);
});

test('a DPoP proof with the push binds the code to its key', async () => {
  const [own, other] = [await newProver(t), await newProver(t)];
  const { request_uri } = await jsonOf(push(client, {}, { dpop: await own.prove(path) }));
  const code = await codeOf(decide(client, request_uri));
  const redeem = async (proof: string) =>
    t.post(
      '/api/oauth2/token',
      { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri },
      { authorization: basic(client), dpop: proof },
    );
  expect(await faultOf(redeem(await other.prove('/api/oauth2/token')))).toEqual([400, 'invalid_grant']);
  expect((await redeem(await own.prove('/api/oauth2/token'))).status).toBe(200);
  const mixed = await push(client, { dpop_jkt: other.jkt }, { dpop: await own.prove(path) });
  expect(await faultOf(mixed)).toEqual([400, 'invalid_request']);
  expect(await faultOf(push(client, {}, { dpop: 'rubbish' }))).toEqual([400, 'invalid_dpop_proof']);
});

test('requests are stored with a hash and without the client’s secret', async () => {
  const uri = await pushed();
  const row = await t.platform.database.db
    .selectFrom('oauth_pushed_requests')
    .selectAll()
    .where('uri_hash', '=', sha256Hex(uri))
    .executeTakeFirstOrThrow();
  expect(JSON.stringify(row)).not.toContain(uri.slice(-43));
  expect(JSON.stringify(row)).not.toContain(client.secret);
});

test('without OpenID Connect there is no push endpoint, and request_uri is unknown', async () => {
  const off = await openOAuthTest();
  const of = await off.client({ require_pushed_requests: true });
  expect((await off.post(path, { client_id: of.clientId, client_secret: of.secret })).status).toBe(404);
  expect((await off.call(path, { method: 'OPTIONS' })).status).toBe(404);
  expect((await off.call('/api/oauth2/authorize/opened', { method: 'POST', body: {} })).status).toBe(404);
  const uri = 'urn:ietf:params:oauth:request_uri:x';
  expect((await off.member.call(askFor(of, { request_uri: uri }))).status).toBe(200);
  expect((await off.decide(of, { request_uri: uri })).status).toBe(200);
  await off.close();
});
