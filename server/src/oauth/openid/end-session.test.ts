import { afterAll, beforeAll, expect, test } from 'bun:test';
import { SignJWT } from 'jose';
import type { Member } from '../../app.fixture.ts';
import { jsonOf, type TestClient } from '../oauth.fixture.ts';
import { type OpenidTest, openOpenidTest } from './openid.fixture.ts';

let t: OpenidTest;
let client: TestClient;
const bye = 'https://client.example/bye';
beforeAll(async () => {
  t = await openOpenidTest();
  client = await t.client({ post_logout_redirect_uris: [bye, `${bye}?kept=1`] });
});
afterAll(() => t.close());

const visit = (fields: Record<string, string>, by?: Pick<Member, 'call'>) =>
  (by?.call ?? t.call)(`/api/oauth2/end_session?${new URLSearchParams(fields)}`);
const isLoggedIn = async (member: Member) => (await member.call('/api/user/self')).status === 200;
const askPage = (answer: Response) => {
  const url = new URL(answer.headers.get('location')!);
  expect([answer.status, url.origin + url.pathname]).toEqual([303, `${t.config.webUrl}/oauth2/logout`]);
  return url.searchParams;
};

test('with the user’s ID token the session ends, and the browser returns with the state', async () => {
  const person = await t.user();
  const { id_token } = await t.signIn(client, {}, person);
  // An ID token may have run out: it says who, not that they may.
  t.clock.advance(7_200_000);
  const fields = { id_token_hint: id_token, client_id: client.clientId, post_logout_redirect_uri: bye, state: 'a b&c' };
  const answer = await visit(fields, person);
  expect(answer.status).toBe(303);
  expect(answer.headers.get('location')).toBe(`${bye}?state=a%20b%26c`);
  expect(answer.headers.get('set-cookie')).toStartWith('svc_session=; Max-Age=0');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(await isLoggedIn(person)).toBe(false);
  // Once more, when nobody is logged in.
  const again = await visit({ id_token_hint: id_token, post_logout_redirect_uri: `${bye}?kept=1`, state: 's' });
  expect(again.headers.get('location')).toBe(`${bye}?kept=1&state=s`);
});

test('without an ID token the user is asked, and the session ends only after confirmation', async () => {
  const person = await t.user();
  const fields = { client_id: client.clientId, post_logout_redirect_uri: bye, state: 's' };
  expect(Object.fromEntries(askPage(await visit(fields, person)))).toEqual({ ...fields, ask: 'yes' });
  expect(Object.fromEntries(askPage(await visit({}, person)))).toEqual({ ask: 'yes' });
  expect(await isLoggedIn(person)).toBe(true);
  const confirm = (body: unknown) => person.call('/api/oauth2/end_session/confirm', { method: 'POST', body });
  expect((await confirm({ ...fields, post_logout_redirect_uri: 'https://attacker.example/' })).status).toBe(400);
  expect(await isLoggedIn(person)).toBe(true);
  const answer = await confirm(fields);
  expect((await jsonOf(answer)).data).toEqual({ redirect_url: `${bye}?state=s` });
  expect(answer.headers.get('set-cookie')).toStartWith('svc_session=; Max-Age=0');
  expect(await isLoggedIn(person)).toBe(false);
  const { data } = await jsonOf((await t.root()).call(`/api/admin/audit?action=logged_out&actor=${person.username}`));
  expect(data.logs).toHaveLength(1);
});

test('a suspended application is not redirected to', async () => {
  const stopped = await t.client({ post_logout_redirect_uris: [bye] });
  const person = await t.user();
  const { id_token } = await t.signIn(stopped, {}, person);
  await t.act('suspend', stopped.id);
  const answer = await visit({ id_token_hint: id_token, post_logout_redirect_uri: bye }, person);
  expect(answer.headers.get('location')).toBe(`${t.config.webUrl}/oauth2/logout`);
  expect(await isLoggedIn(person)).toBe(false);
  await t.act('activate', stopped.id);
  expect((await visit({ id_token_hint: id_token, post_logout_redirect_uri: bye })).headers.get('location')).toBe(bye);
});

test('a form post redirects to the same address, where browsers send the cookie', async () => {
  const person = await t.user();
  const { id_token } = await t.signIn(client, {}, person);
  const answer = await t.post('/api/oauth2/end_session', { id_token_hint: id_token, post_logout_redirect_uri: bye });
  expect(answer.status).toBe(303);
  const next = new URL(answer.headers.get('location')!);
  expect(next.origin).toBe(t.config.webUrl);
  const ended = await person.call(next.pathname + next.search);
  expect(ended.headers.get('location')).toBe(bye);
  expect(await isLoggedIn(person)).toBe(false);
});

test.each([
  `${bye}/`,
  `${bye}?x=1`,
  'https://CLIENT.example/bye',
  'https://client.example@attacker.example/bye',
  'https://attacker.example/bye',
  '//attacker.example/bye',
  'javascript:alert(1)',
  'https://client.example/callback',
])('%s is not redirected to, logged in or not', async (post_logout_redirect_uri) => {
  const person = await t.user();
  const { id_token } = await t.signIn(client, {}, person);
  const hints: Record<string, string>[] = [{ id_token_hint: id_token }, { client_id: client.clientId }, {}];
  for (const hint of hints)
    for (const by of [person, undefined]) {
      const answer = await visit({ ...hint, post_logout_redirect_uri }, by);
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    }
  expect(await isLoggedIn(person)).toBe(true);
});

test('an ID token of another application or user ends nothing', async () => {
  const [person, stranger] = [await t.user(), await t.user()];
  const other = await t.client();
  const theirs = (await t.signIn(client, {}, stranger)).id_token;
  askPage(await visit({ id_token_hint: theirs, post_logout_redirect_uri: bye }, person));
  const mine = (await t.signIn(other, {}, person)).id_token;
  expect((await visit({ id_token_hint: mine, client_id: client.clientId }, person)).status).toBe(400);
  // Its own application has registered no address.
  expect((await visit({ id_token_hint: mine, post_logout_redirect_uri: bye }, person)).status).toBe(400);
  expect((await visit({ client_id: 'svc_unknown' }, person)).status).toBe(404);
  expect(await isLoggedIn(person)).toBe(true);
});

test('invalid ID tokens are rejected: wrong or no algorithm, unknown or no key, changed, another type', async () => {
  const person = await t.user();
  const { id_token } = await t.signIn(client, {}, person);
  const [head, body, signature] = id_token.split('.') as [string, string, string];
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = JSON.parse(Buffer.from(head, 'base64url').toString());
  const { keys } = await jsonOf(t.call('/api/oauth2/jwks'));
  const rsa = keys.find((key: { kid: string }) => key.kid === header.kid);
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  const withPublicKey = (text: string) =>
    new SignJWT(claims).setProtectedHeader({ ...header, alg: 'HS256' }).sign(new TextEncoder().encode(text));
  const forged = [
    `${encoded({ ...header, alg: 'none' })}.${body}.`,
    `${encoded({ alg: 'none' })}.${body}.`,
    `${encoded({ ...header, alg: 'ES256' })}.${body}.${signature}`,
    `${encoded({ ...header, kid: 'unknown' })}.${body}.${signature}`,
    `${encoded({ ...header, kid: undefined })}.${body}.${signature}`,
    `${encoded({ ...header, typ: 'logout+jwt' })}.${body}.${signature}`,
    `${encoded({ ...header, jwk: rsa })}.${body}.${signature}`,
    `${head}.${encoded({ ...claims, sub: '1' })}.${signature}`,
    `${head}.${body}.${signature.slice(0, -4)}AAAA`,
    await withPublicKey(rsa.n),
    await withPublicKey(JSON.stringify(rsa)),
    'x.y.z',
    'x',
  ];
  for (const id_token_hint of forged) expect(askPage(await visit({ id_token_hint }, person)).get('ask')).toBe('yes');
  expect(await isLoggedIn(person)).toBe(true);
});

test('too long and repeated values are rejected', async () => {
  for (const [name, most] of Object.entries({ id_token_hint: 8000, post_logout_redirect_uri: 2000, state: 2000 })) {
    expect((await visit({ [name]: 'x'.repeat(most + 1) })).status).toBe(400);
    expect((await t.post('/api/oauth2/end_session', { [name]: 'x'.repeat(most + 1) })).status).toBe(400);
  }
  expect((await t.call('/api/oauth2/end_session?state=a&state=b')).status).toBe(400);
});

test('prompt=none with another user’s ID token returns login_required', async () => {
  await t.act('verify', client.id);
  const [person, stranger] = [await t.user(), await t.user()];
  const own = (await t.signIn(client, {}, person)).id_token;
  const theirs = (await t.signIn(client, {}, stranger)).id_token;
  const outcome = async (id_token_hint: string) => {
    const fields = { response_type: 'code', client_id: client.clientId, redirect_uri: client.redirectUri };
    const body = { ...fields, scope: 'openid', prompt: 'none', id_token_hint };
    const answer = await jsonOf(person.call('/api/oauth2/authorize/silent', { method: 'POST', body }));
    const url = new URL(answer.data?.redirect_url ?? answer.redirect_url);
    return url.searchParams.get('error') ?? 'code';
  };
  expect(await outcome(own)).toBe('code');
  expect(await outcome(theirs)).toBe('login_required');
  expect(await outcome('x.y.z')).toBe('login_required');
});

test('lone surrogates are rejected in every parameter', async () => {
  for (const name of ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state'])
    expect((await t.call('/api/oauth2/end_session', { method: 'POST', body: { [name]: '\ud800' } })).status).toBe(400);
});
