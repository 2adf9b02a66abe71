import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../../app.fixture.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import { findRow } from '../../platform/db/find-row.ts';
import { makeAdministrator } from '../administrator.ts';
import { roles } from '../user.ts';
import { type Liar, type Lies, startLiar } from './liar.fixture.ts';

/* Providers that lie, browsers that are not the one that left, and administrators who want more than they have. */

let t: TestApp;
let closed: TestApp;
let root: Member;
let liar: Liar;
let other: Liar;
const base = '/api/admin/identity-providers';

beforeAll(async () => {
  liar = startLiar();
  other = startLiar();
  [t, closed] = await Promise.all([openTestApp({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } }), openTestApp()]);
  for (const app of [t, closed]) await app.setOption('RateLimitEnabled', false);
  root = await t.root();
  await connect('liar', liar);
  await connect('other', other);
});
afterAll(async () => {
  liar?.stop();
  other?.stop();
  await Promise.all([t?.close(), closed?.close()]);
});
beforeEach(() => {
  for (const one of [liar, other]) one.state.lies = {};
});

const bodyOf = (slug: string, issuer: string) => ({ slug, name: slug, issuer, client_id: 'svc', trust_email: true });
async function connect(slug: string, { issuer }: { issuer: string }): Promise<number> {
  const answer = await root.call(base, { method: 'POST', body: bodyOf(slug, issuer) });
  return ((await answer.json()) as { data: { id: number } }).data.id;
}
/** A changed provider is asked for its document again. */
async function anew(slug: string, { issuer }: Liar, lies: Lies): Promise<string> {
  liar.state.lies = lies;
  const fresh = `${slug}-${Bun.randomUUIDv7().slice(-8)}`;
  await connect(fresh, { issuer });
  return fresh;
}

interface Left {
  slug: string;
  state: string;
  nonce: string;
  cookie: string;
}
async function leave(slug: string, query = ''): Promise<Left> {
  const answer = await t.call(`/api/auth/${slug}/start${query}`);
  const url = new URL(answer.headers.get('location')!);
  expect(url.searchParams.get('code_challenge_method')).toBe('S256');
  const [state, nonce] = ['state', 'nonce'].map((name) => url.searchParams.get(name)!) as [string, string];
  return { slug, state, nonce, cookie: answer.headers.get('set-cookie')!.split(';')[0]! };
}
async function comeBack({ slug, state, nonce, cookie }: Left, more: Record<string, string> = {}): Promise<string> {
  const query = new URLSearchParams({ code: nonce, state, ...more });
  const answer = await t.call(`/api/auth/${slug}/callback?${query}`, { headers: { cookie } });
  const entered = answer.headers.getSetCookie().some((text) => text.startsWith('svc_session='));
  const place = new URL(answer.headers.get('location')!);
  return entered ? 'in' : (place.searchParams.get('sign_in_error') ?? place.pathname);
}

test('the test provider is accepted with valid claims', async () => {
  expect(await comeBack(await leave('liar'))).toBe('in');
});

test('claims that cannot be stored or shown are dropped', async () => {
  const odd = { name: 'A\0B', preferred_username: '\ud800\0', picture: 'javascript:alert(1)', email: 'a\0@b.example' };
  liar.state.lies = { claims: { sub: 'odd', ...odd } };
  expect(await comeBack(await leave('liar'))).toBe('in');
  const users = await root.call('/api/admin/users?page_size=100');
  const { data } = (await users.json()) as { data: { users: { username: string }[] } };
  expect(data.users.at(-1)).toMatchObject({ username: 'A-B', display_name: 'A-B', avatar_url: '', email: '' });
});

const soon = () => Math.floor(Date.now() / 1000);
const lies: [what: string, lies: () => Lies][] = [
  ['no ID token', () => ({ noToken: true })],
  ['another issuer', () => ({ claims: { iss: 'https://accounts.google.com' } })],
  ['another audience', () => ({ claims: { aud: 'somebody-else' } })],
  ['several audiences, and another one authorised', () => ({ claims: { aud: ['svc', 'x'], azp: 'x' } })],
  ['another nonce', () => ({ claims: { nonce: 'a'.repeat(64) } })],
  ['no nonce', () => ({ claims: { nonce: undefined } })],
  ['no subject', () => ({ claims: { sub: undefined } })],
  ['an empty subject', () => ({ claims: { sub: '' } })],
  ['a too long subject', () => ({ claims: { sub: 'x'.repeat(256) } })],
  ['a subject that cannot be stored', () => ({ claims: { sub: 'a\0b' } })],
  ['a subject that is not a string', () => ({ claims: { sub: 7 } })],
  ['an expiry beyond the clock tolerance', () => ({ claims: { exp: soon() - 120 } })],
  ['a later start', () => ({ claims: { nbf: soon() + 600 } })],
  ['no signature', () => ({ header: { alg: 'none' }, unsigned: true })],
  ['an empty signature', () => ({ unsigned: true })],
  ['a signature made with the client secret', () => ({ header: { alg: 'HS256' } })],
  ['an algorithm that the document does not name', () => ({ header: { alg: 'PS256' } })],
  ['a key that does not exist', () => ({ header: { kid: 'two' } })],
  ['a key that is not its own', () => ({ foreignKey: true })],
  ['an unknown critical header', () => ({ header: { crit: ['x'], x: 1 } })],
];
test.each(lies)('an ID token with %s is rejected', async (_, make) => {
  const left = await leave('liar');
  liar.state.lies = make();
  expect(await comeBack(left)).toBe('provider_failed');
  liar.state.lies = {};
  // Used up all the same.
  expect(await comeBack(left)).toBe('expired');
});

test('small clock differences are accepted', async () => {
  const left = await leave('liar');
  liar.state.lies = { claims: { exp: soon() - 5, nbf: soon() + 5 } };
  expect(await comeBack(left)).toBe('in');
});

test('metadata that allows only “none”, or has another issuer, is rejected', async () => {
  for (const document of [
    { id_token_signing_alg_values_supported: ['none', 'HS256'] },
    { issuer: 'https://accounts.google.com' },
    { issuer: other.issuer },
    { authorization_endpoint: undefined },
  ]) {
    const slug = await anew('document', liar, { document });
    const answer = await t.call(`/api/auth/${slug}/start`);
    expect(answer.headers.get('location')).toEndWith('/login?sign_in_error=provider_failed');
  }
  const slug = await anew('both', liar, { document: { id_token_signing_alg_values_supported: ['none', 'RS256'] } });
  const left = await leave(slug);
  liar.state.lies = { header: { alg: 'none' }, unsigned: true };
  expect(await comeBack(left)).toBe('provider_failed');
});

test('mix-up: the response of one provider is rejected at another, or with another issuer', async () => {
  const left = await leave('liar');
  expect(await comeBack({ ...left, slug: 'other' })).toBe('expired');
  expect(await comeBack(left, { iss: other.issuer })).toBe('provider_failed');
  expect(await comeBack(await leave('liar'), { iss: liar.issuer })).toBe('in');
  const slug = await anew('iss', liar, { document: { authorization_response_iss_parameter_supported: true } });
  expect(await comeBack(await leave(slug))).toBe('provider_failed');
});

test('a state works once, in the browser that started, until it expires', async () => {
  const left = await leave('liar');
  expect(await comeBack({ ...left, cookie: '' })).toBe('expired');
  expect(await comeBack({ ...left, cookie: (await leave('liar')).cookie })).toBe('expired');
  expect(await comeBack({ ...left, state: 'x' })).toBe('expired');
  // The code of somebody else, put into this browser.
  expect(await comeBack({ ...left, nonce: (await leave('liar')).nonce })).toBe('provider_failed');
  expect(await comeBack(left)).toBe('expired');
  expect(await comeBack(await leave('liar'), { error: 'access_denied' })).toBe('denied');
});

test('of twenty concurrent callbacks with one state, one succeeds', async () => {
  const left = await leave('liar');
  const all = await Promise.all(Array.from({ length: 20 }, () => comeBack(left)));
  expect(all.filter((one) => one === 'in').length).toBe(1);
  expect(all.filter((one) => one === 'expired').length).toBe(19);
});

test('concurrent first sign-ins of one person create one account', async () => {
  liar.state.lies = { claims: { sub: 'twin', preferred_username: 'twin', email: undefined } };
  const lefts = await Promise.all(Array.from({ length: 5 }, () => leave('liar')));
  expect(new Set(await Promise.all(lefts.map((left) => comeBack(left))))).toEqual(new Set(['in']));
  const users = await root.call('/api/admin/users?q=twin');
  expect(((await users.json()) as { data: { total: number } }).data.total).toBe(1);
});

test('private addresses are rejected: issuer, its DNS name, endpoints in its metadata, redirects', async () => {
  const admin = await closed.root();
  for (const issuer of [
    liar.issuer,
    'http://[::1]/',
    'https://169.254.169.254',
    'http://example.com',
    'ftp://x.example',
  ])
    expect((await admin.call(base, { method: 'POST', body: bodyOf('private', issuer) })).status).toBe(400);
  const named = { ...bodyOf('named', 'https://localhost:1'), client_secret: 's' };
  const made = (await (await admin.call(base, { method: 'POST', body: named })).json()) as { data: { id: number } };
  const tested = await (await admin.call(`${base}/${made.data.id}/test`, { method: 'POST' })).text();
  expect(tested).toContain('does not resolve to a public address');

  const slug = await anew('redirect', liar, {
    redirect: { '/.well-known/openid-configuration': `${other.issuer}/.well-known/openid-configuration` },
  });
  other.told.length = 0;
  expect((await t.call(`/api/auth/${slug}/start`)).headers.get('location')).toContain('provider_failed');
  const left = await leave('liar');
  liar.state.lies = { redirect: { '/token': `${other.issuer}/token` } };
  expect(await comeBack(left)).toBe('provider_failed');
  expect(other.told).toEqual([]);
});

test('the shared Microsoft directory is rejected', async () => {
  for (const cloud of ['microsoftonline.com', 'microsoftonline.us', 'partner.microsoftonline.cn'])
    for (const tenant of ['common', 'organizations', 'consumers']) {
      const body = bodyOf('ms', `https://login.${cloud}/${tenant}/v2.0`);
      expect((await root.call(base, { method: 'POST', body })).status).toBe(400);
    }
});

test('connected accounts are not matched after a provider changes its issuer', async () => {
  const id = await connect('moving', liar);
  expect(await comeBack(await leave('moving'))).not.toBe('provider_failed');
  const before = await root.call('/api/admin/users?page_size=100');
  const { total } = ((await before.json()) as { data: { total: number } }).data;
  await root.call(`${base}/${id}`, { method: 'PUT', body: { issuer: other.issuer, trust_email: false } });
  other.state.lies = { claims: { sub: 'mallory' } };
  expect(await comeBack(await leave('moving'))).toBe('in');
  const after = await root.call('/api/admin/users?page_size=100');
  expect(((await after.json()) as { data: { total: number } }).data.total).toBe(total + 1);
});

test('administrators cannot create administrators through a provider, and stored secrets stay with their origin', async () => {
  const password = 'a fine password';
  await makeAdministrator(t.app.identity.accounts, { username: 'helper', role: roles.administrator, password });
  const login = await t.call('/api/user/login', { method: 'POST', body: { username: 'helper', password } });
  const headers = { cookie: login.headers.get('set-cookie')!.split(';')[0]! };
  const send = async (method: string, path: string, body: object) =>
    (await t.call(`${base}${path}`, { method, body, headers })).status;
  const mapped = { ...bodyOf('roles', liar.issuer), role_claim: 'groups', role_map: { a: 10 } };
  expect(await send('POST', '', mapped)).toBe(403);
  expect(await send('POST', '', { ...mapped, slug: 'plain', role_map: { a: 1 } })).toBe(201);
  const made = (await (await root.call(base, { method: 'POST', body: mapped })).json()) as { data: { id: number } };
  for (const change of [{ issuer: other.issuer }, { role_map: {} }, { client_id: 'mine' }])
    expect(await send('PUT', `/${made.data.id}`, change)).toBe(403);

  const secret = { ...bodyOf('secret', liar.issuer), client_secret: 'never-shown-again' };
  const kept = (await (await root.call(base, { method: 'POST', body: secret })).json()) as { data: { id: number } };
  expect(await send('PUT', `/${kept.data.id}`, { issuer: other.issuer })).toBe(400);
  expect(await send('PUT', `/${kept.data.id}`, { issuer: other.issuer, client_secret: '' })).toBe(200);
});

test('the age of a session comes from the provider’s auth_time, but is never in the future', async () => {
  const came = async (auth_time: unknown, sub: string) => {
    liar.state.lies = { claims: { sub, auth_time, email: `${sub}@liar.example` } };
    const { slug, state, nonce, cookie } = await leave('liar');
    const query = new URLSearchParams({ code: nonce, state });
    const answer = await t.call(`/api/auth/${slug}/callback?${query}`, { headers: { cookie } });
    const session = answer.headers.getSetCookie().find((text) => text.startsWith('svc_session='))!;
    return { cookie: session.split(';')[0]! };
  };
  // Without a password, deleting the account asks for a login a moment ago.
  const close = async (headers: { cookie: string }) =>
    (await t.call('/api/user/self', { method: 'DELETE', body: {}, headers })).status;
  expect(await close(await came(soon() - 3_600, 'old'))).toBe(403);
  expect(await close(await came(soon() - 60, 'fresh'))).toBe(200);
  // A clock that is behind: the user was asked there just now.
  const { cookie } = await came(soon() - 20, 'behind');
  const asked = { token_hash: sha256Hex(cookie.split('=')[1]!) };
  const { db } = t.platform.database;
  const session = await findRow(db, 'sessions', asked);
  expect(session).toMatchObject({ proven_at: null });
  for (const [index, odd] of [undefined, soon() + 86_400, 1.5].entries())
    expect(await close(await came(odd, `odd-${index}`))).toBe(200);
});

test('whoever could not sign in still gets to where they were going by another way', async () => {
  const next = '/oauth2/authorize?client_id=a&state=b%26c';
  const to = `?${new URLSearchParams({ return_to: next })}`;
  const { slug, state, cookie } = await leave('liar', to);
  const cancelled = new URLSearchParams({ error: 'access_denied', state, iss: liar.issuer });
  const back = await t.call(`/api/auth/${slug}/callback?${cancelled}`, { headers: { cookie } });
  const placeOf = (answer: Response) => new URL(answer.headers.get('location')!);
  expect(Object.fromEntries(placeOf(back).searchParams)).toEqual({ sign_in_error: 'denied', next });
  await connect('gone', { issuer: 'http://127.0.0.1:9' });
  for (const [query, more] of [
    [to, { next }],
    ['?return_to=%2F%2Fevil.example', {}],
  ] as const) {
    const unreachable = placeOf(await t.call(`/api/auth/gone/start${query}`));
    expect(Object.fromEntries(unreachable.searchParams)).toEqual({ sign_in_error: 'provider_failed', ...more });
  }
});

test('a required new login is requested from the provider too', async () => {
  const promptOf = async (return_to: string) => {
    const answer = await t.call(`/api/auth/liar/start?${new URLSearchParams({ return_to })}`);
    return new URL(answer.headers.get('location')!).searchParams.get('prompt');
  };
  expect(await promptOf('/oauth2/authorize?client_id=a&signed_in_after=sealed')).toBe('login');
  for (const other of ['/oauth2/authorize?client_id=a', '/keys?signed_in_after=x', '/', '//evil.example'])
    expect(await promptOf(other)).toBeNull();
});
