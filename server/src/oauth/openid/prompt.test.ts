import { afterAll, beforeAll, expect, test } from 'bun:test';
import { faultOf, jsonOf, openOAuthTest, type TestClient } from '../oauth.fixture.ts';
import { askFor, leadsTo, type OpenidTest, openOpenidTest, relogin } from './openid.fixture.ts';

let t: OpenidTest;
let client: TestClient;
beforeAll(async () => {
  t = await openOpenidTest();
  client = await t.client();
});
afterAll(() => t.close());

type Fields = Record<string, string>;
const described = async (fields: Fields, by: Pick<typeof t.member, 'call'> = t.member) =>
  (await jsonOf(by.call(askFor(client, fields)))).data;
const silent = (of: TestClient, fields: Fields = {}, by: Pick<typeof t.member, 'call'> | null = t.member) =>
  (by?.call ?? t.call)('/api/oauth2/authorize/silent', {
    method: 'POST',
    body: {
      response_type: 'code',
      client_id: of.clientId,
      redirect_uri: of.redirectUri,
      scope: 'openid',
      prompt: 'none',
      ...fields,
    },
  });

test.each([
  [{ prompt: 'none login' }, 'invalid_request'],
  [{ prompt: 'sometimes' }, 'invalid_request'],
  [{ max_age: '-1' }, 'invalid_request'],
  [{ max_age: 'soon' }, 'invalid_request'],
  [{ max_age: '9'.repeat(400) }, 'invalid_request'],
  [{ response_mode: 'fragment' }, 'invalid_request'],
  [{ nonce: 'n'.repeat(1001) }, 'invalid_request'],
  [{ nonce: 'n\ufffd' }, 'invalid_request'],
  [{ request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
  [{ request_uri: 'https://client.example/request' }, 'request_uri_not_supported'],
  [{ registration: '{}' }, 'registration_not_supported'],
] as [Fields, string][])('%j is sent to the application as %s', async (fields, error) => {
  const answer = await t.member.call(askFor(client, { state: 's', ...fields }));
  expect(answer.status).toBe(400);
  const told = await leadsTo(answer);
  expect([told.get('error'), told.get('state')]).toEqual([error, 's']);
  expect((await leadsTo(t.decide(client, { scope: 'openid', ...fields }))).get('error')).toBe(error);
});

test('requests that need no interaction have none', async () => {
  const quiet: Fields[] = [
    {},
    { response_mode: 'query' },
    { acr_values: 'gold', login_hint: 'ada' },
    { max_age: '3600' },
  ];
  for (const fields of quiet) expect((await described(fields)).interaction).toBeNull();
  expect((await described({ prompt: 'consent' })).interaction).toBe('consent');
  expect((await described({ prompt: 'select_account' })).interaction).toBe('select_account');
});

test('offline_access adds nothing, and is an invalid scope without OpenID Connect', async () => {
  const scope = 'openid offline_access email';
  expect((await described({ scope, prompt: 'consent' })).requested_scopes).toHaveLength(2);
  const tokens = await t.tokens(client, { scope });
  expect(tokens.scope).toBe('openid email');
  const next = await jsonOf(t.refresh(client, tokens.refresh_token, { scope }));
  expect([next.scope, next.refresh_token]).toEqual(['openid email', expect.any(String)]);
  const { clientId: client_id, secret: client_secret } = client;
  expect((await t.post('/api/oauth2/device_authorization', { client_id, client_secret, scope })).status).toBe(200);
  await t.setOption('OAuth2OpenIDConnect', false);
  try {
    expect((await leadsTo(t.member.call(askFor(client, { scope })))).get('error')).toBe('invalid_scope');
    expect(await faultOf(t.refresh(client, next.refresh_token, { scope }))).toEqual([400, 'invalid_scope']);
  } finally {
    await t.setOption('OAuth2OpenIDConnect', true);
  }
});

test.each([{ prompt: 'login' }, { max_age: '0' }, { max_age: '60' }] as Fields[])(
  '%j requires a new login before an answer',
  async (fields) => {
    t.clock.advance(61_000);
    const asked = await described(fields);
    expect(asked.interaction).toBe('login');
    const refused = await t.decide(client, { scope: 'openid', ...fields });
    expect(await faultOf(refused)).toEqual([401, 'login_required']);
    // Taken along without a login in between, or made up, it shows nothing.
    for (const signed_in_after of [asked.signed_in_after, 's1.key.AAAA', 'x'])
      expect((await described({ ...fields, signed_in_after })).interaction).toBe('login');
    t.clock.advance(2_000);
    const again = await relogin(t);
    const after = { ...fields, signed_in_after: asked.signed_in_after };
    expect((await described(after, again)).interaction).toBeNull();
    const body = { client_id: client.clientId, redirect_uri: client.redirectUri, scope: 'openid', approved: true };
    const decided = await again.call('/api/oauth2/authorize', { method: 'POST', body: { ...body, ...after } });
    expect((await leadsTo(decided)).get('code')).toBeTruthy();
    // An hour later it speaks of another login than the one that was asked for.
    t.clock.advance(3_601_000);
    expect((await described({ prompt: 'login', signed_in_after: asked.signed_in_after }, again)).interaction).toBe(
      'login',
    );
  },
);

test('if id_token_hint names another user, the user is not asked and the application gets an error', async () => {
  const other = await t.user();
  const [{ id_token: theirs }, { id_token: own }] = [await t.signIn(client, {}, other), await t.signIn(client)];
  const named = { state: 's', id_token_hint: theirs };
  const consenting = { ...named, prompt: 'consent' };
  for (const fields of [named, consenting])
    expect((await leadsTo(t.member.call(askFor(client, fields)))).get('error')).toBe('login_required');
  for (const fields of [named, consenting, { ...named, prompt: 'select_account' }])
    expect((await leadsTo(t.decide(client, { scope: 'openid', ...fields }))).get('error')).toBe('login_required');
  // They may be about to log in.
  for (const prompt of ['login', 'select_account'])
    expect((await described({ ...named, prompt })).interaction).toBe(prompt);
  // Saying no tells nothing of anybody.
  const denied = await leadsTo(t.decide(client, { scope: 'openid', ...named, approved: false }));
  expect(denied.get('error')).toBe('access_denied');
  for (const id_token_hint of [own, 'rubbish', '']) {
    expect((await described({ id_token_hint })).interaction).toBeNull();
    expect((await leadsTo(t.decide(client, { scope: 'openid', id_token_hint }))).get('code')).toBeTruthy();
  }
});

test('prompt=none returns a code if no interaction is needed, otherwise the reason', async () => {
  const fresh = await t.client();
  const errorOf = async (...given: Parameters<typeof silent>) => (await leadsTo(silent(...given))).get('error');
  expect(await errorOf(fresh, {}, null)).toBe('login_required');
  expect(await errorOf(fresh)).toBe('consent_required');
  await t.code(fresh, { scope: 'openid' });
  // The page asks about applications that nobody has verified each time.
  expect(await errorOf(fresh)).toBe('consent_required');
  await t.act('verify', fresh.id);
  const told = await leadsTo(silent(fresh, { nonce: 'quiet', state: 'kept' }));
  expect(told.get('state')).toBe('kept');
  const tokens = await jsonOf(t.exchange(fresh, { code: told.get('code')! }));
  expect(await t.verified(tokens.id_token, fresh.clientId)).toMatchObject({ nonce: 'quiet' });
  expect(await errorOf(fresh, { scope: 'openid email' })).toBe('consent_required');
  expect(await errorOf(fresh, { max_age: '0' })).toBe('login_required');
  await t.act('suspend', fresh.id);
  expect((await silent(fresh)).status).toBe(403);
});

test('prompt=none is not answered for other sites or unregistered addresses', async () => {
  const elsewhere = await silent(client, { redirect_uri: 'https://attacker.example/' });
  expect(elsewhere.status).toBe(400);
  expect(await jsonOf(elsewhere)).not.toHaveProperty('redirect_url');
  const forged = await t.member.call('/api/oauth2/authorize/silent', {
    method: 'POST',
    headers: { origin: 'https://attacker.example' },
    body: { client_id: client.clientId, redirect_uri: client.redirectUri, response_type: 'code', prompt: 'none' },
  });
  expect(forged.status).toBe(403);
  expect((await silent(client, { prompt: 'login' })).status).toBe(400);
});

test('without OpenID Connect these parameters are ignored', async () => {
  const off = await openOAuthTest();
  const of = await off.client();
  const answer = await off.member.call(
    askFor(of, {
      prompt: 'none login',
      max_age: 'x',
      response_mode: 'fragment',
      request: 'x',
      nonce: 'n'.repeat(3000),
    }),
  );
  expect(answer.status).toBe(200);
  const { data } = await jsonOf(answer);
  expect(data).not.toHaveProperty('interaction');
  expect(data).not.toHaveProperty('signed_in_after');
  const quiet = await off.member.call('/api/oauth2/authorize/silent', { method: 'POST', body: {} });
  expect(quiet.status).toBe(404);
  await off.close();
});

test('a request sent as a form is redirected to the page unchanged', async () => {
  const path = '/oauth2/authorize';
  const request = { response_type: 'code', client_id: client.clientId, state: 'ä &=?#', nonce: 'n' };
  const answer = await t.post(path, { ...request, unknown: 'x' }, { origin: 'https://client.example' });
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([303, 'no-store']);
  const to = new URL(answer.headers.get('location')!);
  expect([to.origin + to.pathname, to.hash]).toEqual([`${t.config.webUrl}${path}`, '']);
  expect(Object.fromEntries(to.searchParams)).toEqual(request);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const sent = (body: string) => t.call(path, { method: 'POST', body, headers: form });
  const both = new URL((await sent('resource=a&resource=b')).headers.get('location')!);
  expect(both.searchParams.getAll('resource')).toEqual(['a', 'b']);
  expect((await sent(`state=${'s'.repeat(20_000)}`)).status).toBe(413);
  await t.setOption('OAuth2OpenIDConnect', false);
  expect((await t.post(path, request)).status).toBe(404);
  await t.setOption('OAuth2OpenIDConnect', true);
});
