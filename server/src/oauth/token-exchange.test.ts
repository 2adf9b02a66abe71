import { afterAll, beforeAll, expect, test } from 'bun:test';
import { newProver } from './dpop/dpop.fixture.ts';
import { basic, faultOf, jsonOf, openOAuthTest, type TestClient } from './oauth.fixture.ts';
import { costOfOne, openPayingTest, type PayingTest, refusalOf } from './paying.fixture.ts';

let t: PayingTest;
beforeAll(async () => {
  t = await openPayingTest();
});
afterAll(() => t.close());

const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessToken = 'urn:ietf:params:oauth:token-type:access_token';
const unacceptable: [number, unknown] = [400, 'invalid_request'];

const trade = (of: TestClient, subject_token: string, fields: Record<string, string | undefined> = {}) =>
  t.post(
    '/api/oauth2/token',
    { grant_type, subject_token, subject_token_type: accessToken, ...fields },
    { authorization: basic(of) },
  );
const traded = async (of: TestClient, subject: string, fields: Record<string, string> = {}) => {
  const answer = await trade(of, subject, fields);
  if (answer.status !== 200) throw new Error(`not exchanged: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as { access_token: string; expires_in: number; scope: string };
};
/** An agent that may exchange tokens, and an application whose tokens these may be. */
const agent = (fields: Record<string, unknown> = {}) => t.payingClient({ token_exchange: true, ...fields });
const applicationFor = (agents: TestClient[], fields: Record<string, unknown> = {}) =>
  t.payingClient({ name: 'First', token_exchange_clients: agents.map(({ clientId }) => clientId), ...fields });
const lives = async (token: string) => (await t.userinfo(token)).status === 200;

test('an agent gets its own token that acts for the user and names the actor', async () => {
  const acting = await agent();
  const first = await applicationFor([acting]);
  const { access_token } = await t.tokens(first, { scope: 'openid profile' });
  const answer = await trade(acting, access_token, { scope: 'openid', resource: t.config.baseUrl });
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const body = await jsonOf(answer);
  expect(body).toMatchObject({ token_type: 'Bearer', issued_token_type: accessToken, scope: 'openid' });
  expect(body).not.toHaveProperty('refresh_token');
  expect((await jsonOf(t.userinfo(body.access_token))).sub).toBe(`${t.member.id}`);
  const act = { sub: acting.clientId, client_id: acting.clientId };
  expect(await t.introspect(acting, body.access_token)).toMatchObject({
    ...{ active: true, sub: `${t.member.id}`, client_id: acting.clientId, scope: 'openid', act },
  });
  expect(await t.introspect(first, access_token)).not.toHaveProperty('act');
  // It is the agent's, and not for the application that it was exchanged for.
  expect(await t.introspect(first, body.access_token)).toEqual({ active: false });
  const audit = await jsonOf((await t.root()).call('/api/oauth2/admin/audit?event_type=token_exchanged'));
  expect(audit.data.logs[0]).toMatchObject({
    ...{ application_id: acting.id, user_id: t.member.id },
    metadata: { grant_type, scopes: 'openid', subject_client_id: first.clientId, act },
  });
});

test('an actor token names the acting user', async () => {
  const acting = await agent();
  const first = await applicationFor([acting]);
  const { access_token } = await t.tokens(first);
  const other = await t.user();
  const actor = await t.tokens(acting, {}, other);
  const by = { actor_token: actor.access_token, actor_token_type: accessToken };
  const token = await traded(acting, access_token, by);
  expect(await t.introspect(acting, token.access_token)).toMatchObject({
    ...{ sub: `${t.member.id}`, act: { sub: `${other.id}`, client_id: acting.clientId } },
  });
  // Somebody else's token, one that is none, and half of the pair.
  expect(await faultOf(trade(acting, access_token, { ...by, actor_token: access_token }))).toEqual(unacceptable);
  expect(await faultOf(trade(acting, access_token, { ...by, actor_token: 'x' }))).toEqual(unacceptable);
  expect(await faultOf(trade(acting, access_token, { actor_token: actor.access_token }))).toEqual(unacceptable);
  expect(await faultOf(trade(acting, access_token, { actor_token_type: accessToken }))).toEqual(unacceptable);
});

test('a bound actor token requires a proof', async () => {
  const acting = await agent();
  const first = await applicationFor([acting]);
  const { access_token } = await t.tokens(first);
  const tokenPath = '/api/oauth2/token';
  const [own, another] = [await newProver(t), await newProver(t)];
  const given = { grant_type: 'authorization_code', code: await t.code(acting), redirect_uri: acting.redirectUri };
  const bound = await jsonOf(
    t.post(tokenPath, given, { authorization: basic(acting), dpop: await own.prove(tokenPath) }),
  );
  expect(bound.token_type).toBe('DPoP');
  const by = { actor_token: bound.access_token as string, actor_token_type: accessToken };
  expect(await faultOf(trade(acting, access_token, by))).toEqual(unacceptable);
  const fields = { grant_type, subject_token: access_token, subject_token_type: accessToken, ...by };
  const proven = async (prover: typeof own) =>
    t.post(tokenPath, fields, { authorization: basic(acting), dpop: await prover.prove(tokenPath) });
  expect(await faultOf(proven(another))).toEqual(unacceptable);
  expect((await proven(own)).status).toBe(200);
});

test('only permitted clients can exchange tokens', async () => {
  const quiet = await t.payingClient();
  const own = await t.tokens(quiet);
  expect(await faultOf(trade(quiet, own.access_token))).toEqual([400, 'unauthorized_client']);
  const open = await t.payingClient({ app_type: 'public', token_exchange: true });
  const asPublic = { grant_type, subject_token: own.access_token, subject_token_type: accessToken };
  const answer = t.post('/api/oauth2/token', { ...asPublic, client_id: open.clientId });
  expect(await faultOf(answer)).toEqual([400, 'unauthorized_client']);
  const acting = await agent();
  expect(await faultOf(trade({ ...acting, secret: 'wrong' }, own.access_token))).toEqual([401, 'invalid_client']);
  // A token of a client that lets nobody, of one that lets another, a refresh token, and none at all.
  const another = await applicationFor([await agent()]);
  const theirs = await t.tokens(another);
  const mine = await t.tokens(acting);
  for (const token of [own.access_token, theirs.access_token, mine.refresh_token, await t.member.key(), 'x'])
    expect(await faultOf(trade(acting, token))).toEqual(unacceptable);
  expect((await trade(acting, mine.access_token)).status).toBe(200);
  const off = await openOAuthTest();
  const client = await off.client({ token_exchange: true });
  const plain = { grant_type, subject_token: (await off.tokens(client)).access_token, subject_token_type: accessToken };
  const refused = off.post('/api/oauth2/token', plain, { authorization: basic(client) });
  expect(await faultOf(refused)).toEqual([400, 'unsupported_grant_type']);
  await off.close();
});

test('scopes never exceed those of the token or the client', async () => {
  const acting = await agent({ scopes: 'openid profile' });
  const first = await applicationFor([acting], { scopes: 'openid email profile models:use' });
  const { access_token } = await t.tokens(first, { scope: 'openid email profile' });
  expect((await traded(acting, access_token)).scope).toBe('openid profile');
  for (const scope of ['models:use', 'openid email', 'usage:read', 'admin', 'openid profile email'])
    expect(await faultOf(trade(acting, access_token, { scope }))).toEqual([400, 'invalid_scope']);
  const narrow = await traded(acting, access_token, { scope: 'openid' });
  // What was given away is not had back by exchanging again.
  expect(await faultOf(trade(acting, narrow.access_token, { scope: 'profile' }))).toEqual([400, 'invalid_scope']);
  expect((await traded(acting, narrow.access_token)).scope).toBe('openid');
  // What the first application loses, those who act for it lose too.
  const both = await traded(acting, access_token);
  await t.owner.call(`/api/oauth2/applications/${first.id}`, { method: 'PUT', body: { scopes: 'openid' } });
  expect(await t.introspect(acting, both.access_token)).toMatchObject({ active: true, scope: 'openid' });
});

test('an exchanged token expires no later than its subject token', async () => {
  const acting = await agent();
  const { access_token } = await t.tokens(acting);
  t.clock.advance(3_000_000);
  const late = await traded(acting, access_token);
  expect(late.expires_in).toBeLessThanOrEqual(600);
  const later = await traded(acting, late.access_token);
  expect(later.expires_in).toBeLessThanOrEqual(600);
  t.clock.advance(601_000);
  for (const token of [access_token, late.access_token, later.access_token]) expect(await lives(token)).toBe(false);
  expect(await faultOf(trade(acting, access_token))).toEqual(unacceptable);
});

test('an exchanged token ends with its subject token, however that ends', async () => {
  const ends: Record<
    string,
    (first: TestClient, tokens: { access_token: string; refresh_token: string }) => Promise<unknown>
  > = {
    'the access token is revoked': (_, { access_token }) => t.post('/api/oauth2/revoke', { token: access_token }),
    'the refresh token is revoked': (_, { refresh_token }) => t.post('/api/oauth2/revoke', { token: refresh_token }),
    'the consent is revoked': (first) => t.member.call(`/api/oauth2/consents/${first.id}`, { method: 'DELETE' }),
    'the application is suspended': (first) => t.act('suspend', first.id),
    'the application is deleted': (first) => t.owner.call(`/api/oauth2/applications/${first.id}`, { method: 'DELETE' }),
  };
  for (const [how, end] of Object.entries(ends)) {
    const acting = await agent();
    const first = await applicationFor([acting]);
    const tokens = await t.tokens(first);
    const one = await traded(acting, tokens.access_token);
    const two = await traded(acting, one.access_token);
    expect([how, await lives(one.access_token), await lives(two.access_token)]).toEqual([how, true, true]);
    await end(first, tokens);
    expect([how, await lives(one.access_token), await lives(two.access_token)]).toEqual([how, false, false]);
    expect(await t.introspect(acting, one.access_token)).toEqual({ active: false });
    expect(await faultOf(trade(acting, tokens.access_token))).toEqual(unacceptable);
    expect(await faultOf(trade(acting, one.access_token))).toEqual(unacceptable);
  }
});

test('an exchange in progress while the grant ends leaves no valid token', async () => {
  const acting = await agent();
  const first = await applicationFor([acting]);
  const ends = [
    (token: string) => t.post('/api/oauth2/revoke', { token }),
    () => t.member.call(`/api/oauth2/consents/${first.id}`, { method: 'DELETE' }),
  ];
  for (const end of ends) {
    const { access_token } = await t.tokens(first);
    const one = await traded(acting, access_token);
    const tries = Array.from({ length: 20 }, (_, n) => trade(acting, n % 2 ? access_token : one.access_token));
    const answers = await Promise.all([...tries.slice(0, 10), end(access_token), ...tries.slice(10)]);
    for (const answer of answers) {
      const body = await jsonOf(answer);
      if (body.access_token) expect(await lives(body.access_token)).toBe(false);
    }
    expect(await lives(one.access_token)).toBe(false);
  }
});

test('ending an agent in a chain ends those behind it', async () => {
  const last = await agent();
  const middle = await agent({ token_exchange_clients: [last.clientId] });
  const first = await applicationFor([middle]);
  const begin = async () => {
    const { access_token } = await t.tokens(first);
    const one = await traded(middle, access_token);
    const two = await traded(last, one.access_token);
    return { access_token, one: one.access_token, two: two.access_token };
  };
  const revoked = await begin();
  await t.post('/api/oauth2/revoke', { token: revoked.one });
  expect([await lives(revoked.access_token), await lives(revoked.one), await lives(revoked.two)]).toEqual([
    true,
    false,
    false,
  ]);
  const suspended = await begin();
  await t.act('suspend', middle.id);
  expect([await lives(suspended.access_token), await lives(suspended.two)]).toEqual([true, false]);
});

test('refreshing the first token keeps exchanged tokens valid', async () => {
  const acting = await agent();
  const first = await applicationFor([acting]);
  const tokens = await t.tokens(first);
  const one = await traded(acting, tokens.access_token);
  await t.refresh(first, tokens.refresh_token);
  expect(await lives(one.access_token)).toBe(true);
  // The token that was refreshed is spent, and exchanged no more.
  expect(await faultOf(trade(acting, tokens.access_token))).toEqual(unacceptable);
});

test('a chain has at most three actors', async () => {
  const acting = await agent();
  let { access_token } = await t.tokens(acting);
  for (let depth = 1; depth <= 3; depth += 1) ({ access_token } = await traded(acting, access_token));
  const { act } = (await t.introspect(acting, access_token)) as { act?: { act?: { act?: unknown } } };
  expect(act?.act?.act).toEqual({ sub: acting.clientId, client_id: acting.clientId });
  expect(await faultOf(trade(acting, access_token))).toEqual(unacceptable);
});

test('unsupported token types, resources and audiences are rejected', async () => {
  const acting = await agent();
  const { access_token } = await t.tokens(acting);
  const jwt = 'urn:ietf:params:oauth:token-type:jwt';
  expect(await faultOf(trade(acting, access_token, { subject_token_type: jwt }))).toEqual(unacceptable);
  expect(await faultOf(trade(acting, access_token, { subject_token_type: undefined }))).toEqual(unacceptable);
  expect(await faultOf(trade(acting, access_token, { requested_token_type: jwt }))).toEqual(unacceptable);
  expect(await faultOf(trade(acting, '', {}))).toEqual(unacceptable);
  for (const fields of [{ resource: 'https://elsewhere.example/' }, { audience: 'svc_somebody' }])
    expect(await faultOf(trade(acting, access_token, fields))).toEqual([400, 'invalid_target']);
  expect((await trade(acting, access_token, { audience: acting.clientId })).status).toBe(200);
});

test('spending counts against the limit of the first application', async () => {
  const acting = await agent();
  const first = await applicationFor([acting]);
  const tokens = await t.mayPay(first, 60);
  const one = await traded(acting, tokens.access_token);
  for (const token of [tokens.access_token, one.access_token]) expect((await t.ask(token)).status).toBe(200);
  expect((await t.consentOf(first)).spent).toBe(2 * costOfOne);
  const rows = (await t.usage()).filter(({ application_id }) => application_id === first.id);
  expect(rows).toHaveLength(2);
  const tries = await Promise.all(
    Array.from({ length: 30 }, (_, n) => t.ask(n % 2 ? one.access_token : tokens.access_token)),
  );
  for (const answer of tries) expect([200, 403]).toContain(answer.status);
  expect((await t.consentOf(first)).spent).toBeLessThanOrEqual(60);
  // Narrowed to nothing that pays, it pays nothing; ended with its grant, neither.
  const narrow = await traded(acting, tokens.access_token, { scope: 'openid' });
  expect(await refusalOf(t.ask(narrow.access_token))).toEqual([403, 'insufficient_scope']);
  await t.member.call(`/api/oauth2/consents/${first.id}`, { method: 'DELETE' });
  expect((await t.ask(one.access_token)).status).toBe(401);
});
