import { afterAll, beforeAll, expect, test } from 'bun:test';
import { jsonOf, type TestClient } from './oauth.fixture.ts';
import { askFor, type OpenidTest, openOpenidTest } from './openid/openid.fixture.ts';

let t: OpenidTest;
let client: TestClient;
beforeAll(async () => {
  t = await openOpenidTest();
  client = await t.client();
});
afterAll(() => t.close());

/** RFC 6749 §3.1: parameters must not be repeated; §4.1.2.1: the client is told, unless it or its address is unclear. */
const ledBack = [
  ...['response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method', 'nonce', 'prompt', 'max_age'],
  ...['login_hint', 'acr_values', 'response_mode', 'id_token_hint', 'request', 'request_uri', 'registration'],
  ...['dpop_jkt', 'signed_in_after', 'unknown'],
];
const values: Record<string, [string, string]> = {
  response_type: ['code', 'code'],
  scope: ['openid', 'openid'],
  prompt: ['none', 'none'],
  response_mode: ['form_post', 'form_post'],
  code_challenge_method: ['S256', 'S256'],
};

/** A request in which this parameter, and no other, is given twice. */
const searchWith = (name: string): string => {
  const search = new URLSearchParams(askFor(client, { state: 's' }).split('?')[1]!);
  search.delete(name);
  for (const value of values[name] ?? ['a', 'b']) search.append(name, value);
  return `?${search}`;
};

/** As the page sends a request with `prompt=none`: a repeated name is a list there. */
const silently = (search: string) => {
  const given = new URLSearchParams(search);
  const body = Object.fromEntries([...new Set(given.keys())].map((name) => [name, given.getAll(name)]));
  const fields = Object.entries(body).map(([name, all]) => [name, all.length > 1 ? all : all[0]]);
  return t.member.call('/api/oauth2/authorize/silent', {
    method: 'POST',
    body: { prompt: 'none', ...Object.fromEntries(fields) },
  });
};

test.each(ledBack)('a repeated %s is reported to the application', async (name) => {
  const search = searchWith(name);
  for (const answer of [await t.member.call(`/api/oauth2/authorize${search}`), await silently(search)]) {
    expect(answer.status).toBe(400);
    const body = await jsonOf(answer);
    expect(body.error).toBe('invalid_request');
    const to = new URL(body.redirect_url);
    expect(to.origin + to.pathname).toBe(client.redirectUri);
    expect(Object.fromEntries(to.searchParams)).toEqual({
      ...{ error: 'invalid_request', error_description: expect.stringContaining(name) },
      // Which of two was meant is unknown.
      ...(name !== 'state' && { state: 's' }),
      iss: t.config.baseUrl,
    });
  }
});

test.each(['client_id', 'redirect_uri'])(
  'a repeated %s is not redirected, even if both values are equal',
  async (name) => {
    const { clientId: client_id, redirectUri: redirect_uri } = client;
    values[name] = name === 'client_id' ? [client_id, client_id] : [redirect_uri, redirect_uri];
    const search = searchWith(name);
    for (const answer of [await t.member.call(`/api/oauth2/authorize${search}`), await silently(search)]) {
      expect(answer.status).toBe(400);
      const body = await jsonOf(answer);
      expect([body.error, body.redirect_url]).toEqual(['invalid_request', undefined]);
    }
  },
);

test('an unregistered redirect URI receives nothing', async () => {
  const search = new URLSearchParams(searchWith('state'));
  search.set('redirect_uri', 'https://attacker.example/');
  const answer = await t.member.call(`/api/oauth2/authorize?${search}`);
  expect([answer.status, (await jsonOf(answer)).redirect_url]).toEqual([400, undefined]);
});

test('repeated parameters of a form_post request are reported by form', async () => {
  const answer = await t.member.call(`/api/oauth2/authorize${searchWith('nonce')}&response_mode=form_post`);
  expect((await jsonOf(answer)).redirect_url).toStartWith(`${t.config.baseUrl}/api/oauth2/form_post?`);
});

test('an invalid state is reported without echoing it', async () => {
  for (const state of ['x'.repeat(8001), '%FF']) {
    const answer = await t.member.call(`${askFor(client)}&state=${state}`);
    const told = new URL((await jsonOf(answer)).redirect_url).searchParams;
    expect([told.get('error'), told.has('state')]).toEqual(['invalid_request', false]);
  }
});

test('a posted request with repeated parameters is reported to the application', async () => {
  const answer = await t.call('/oauth2/authorize', {
    method: 'POST',
    body: searchWith('state').slice(1),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(answer.status).toBe(303);
  const { searchParams } = new URL(answer.headers.get('location')!);
  expect(searchParams.getAll('state')).toEqual(['a', 'b']);
});

test('resource can be repeated, also in pushed requests', async () => {
  const resources = [`${t.config.baseUrl}/mcp`, `${t.config.baseUrl}/mcp`];
  const search = new URLSearchParams(askFor(client).split('?')[1]!);
  for (const resource of resources) search.append('resource', resource);
  expect((await t.member.call(`/api/oauth2/authorize?${search}`)).status).toBe(200);
  search.set('client_secret', client.secret);
  const push = await t.call('/api/oauth2/par', {
    method: 'POST',
    body: `${search}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(push.status).toBe(201);
});
