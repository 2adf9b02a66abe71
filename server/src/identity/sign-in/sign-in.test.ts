import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../../app.fixture.ts';
import { codeAt, enrol } from '../factors/factors.fixture.ts';
import { roles } from '../user.ts';
import { Browser, type OtherCompany, startOtherCompany } from './other-company.fixture.ts';

/* The whole way through a real provider of OpenID Connect, over HTTP. */

let t: TestApp;
let root: Member;
let company: OtherCompany;
const callback = (slug: string) => `http://localhost:3000/api/auth/${slug}/callback`;
const slugs = ['acme', 'strict', 'closed', 'mapped', 'untrusted', 'links'];

beforeAll(async () => {
  [t, company] = await Promise.all([
    openTestApp({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } }),
    startOtherCompany(slugs.map(callback)),
  ]);
  await t.setOption('RateLimitEnabled', false);
  root = await t.root();
});
afterAll(async () => {
  company?.stop();
  await t?.close();
});

const base = '/api/admin/identity-providers';
async function connect(slug: string, fields: object = {}): Promise<{ id: number }> {
  const body = { slug, name: `Acme ${slug}`, issuer: company.issuer, ...company.client, trust_email: true, ...fields };
  const answer = await root.call(base, { method: 'POST', body });
  const { data } = (await answer.json()) as { data: { id: number } };
  expect(answer.status).toBe(201);
  return data;
}

const browser = () => new Browser({ origin: 'http://localhost:3000', call: t.call });
const own = (path: string) => new URL(path, 'http://localhost:3000').href;

/** Where the browser is in the end. */
async function signIn(slug: string, login: string, by = browser(), query = ''): Promise<{ at: string; by: Browser }> {
  const started = await by.visit(own(`/api/auth/${slug}/start${query}`));
  const back = await by.logInAt(started.headers.get('location')!, login);
  const answer = await by.visit(back);
  expect(answer.status).toBe(302);
  return { at: answer.headers.get('location')!.replace('http://localhost:3000', ''), by };
}
const selfOf = async (by: Browser) => {
  const answer = await by.visit(own('/api/user/self'));
  return ((await answer.json()) as { data: Record<string, unknown> }).data;
};
const send = async (by: Browser, method: string, path: string, body?: unknown) => {
  const answer = await t.call(path, { method, body, headers: { cookie: by.cookieOf(own('/')) } });
  for (const cookie of answer.headers.getSetCookie()) by.setCookie(own('/'), cookie);
  return { status: answer.status, ...((await answer.json()) as { data: never; message?: string; code?: string }) };
};

test('a new user signs in, gets an account, and returns to it', async () => {
  await connect('acme');
  company.people.ann = {
    ...{ name: 'Ann Lee', preferred_username: 'ann', email: 'Ann@acme.example', email_verified: true },
    picture: 'https://acme.example/ann.png',
  };
  const listed = (await (await t.call('/api/auth/providers')).json()) as { data: object };
  expect(listed.data).toEqual({ providers: [{ slug: 'acme', name: 'Acme acme' }] });
  const first = await signIn('acme', 'ann', browser(), '?return_to=%2Fkeys%3Fa%3D1');
  expect(first.at).toBe('/keys?a=1');
  const self = await selfOf(first.by);
  expect(self).toMatchObject({
    ...{ username: 'ann', display_name: 'Ann Lee', email: 'Ann@acme.example', email_verified: true },
    ...{ avatar_url: 'https://acme.example/ann.png', role: roles.user },
  });
  const again = await signIn('acme', 'ann');
  expect(await selfOf(again.by)).toMatchObject({ id: self.id as number });
  await t.user('bob');
  company.people.other = { preferred_username: 'Bob' };
  expect(await selfOf((await signIn('acme', 'other')).by)).toMatchObject({ username: 'Bob-2', email: '' });
});

test('the browser’s language becomes the account’s language', async () => {
  company.people.mei = { preferred_username: 'mei' };
  const reading = (language: string) =>
    new Browser({
      origin: 'http://localhost:3000',
      call: (path, init) => t.call(path, { ...init, headers: { ...init?.headers, 'accept-language': language } }),
    });
  const first = await signIn('acme', 'mei', reading('zh-CN,zh;q=0.9'));
  expect(await selfOf(first.by)).toMatchObject({ username: 'mei', language: 'zh-CN' });
  const again = await signIn('acme', 'mei', reading('en-US'));
  expect(await selfOf(again.by)).toMatchObject({ username: 'mei', language: 'zh-CN' });
});

test('every step is in the audit log, and no secret is in any response', async () => {
  const answer = await root.call('/api/admin/audit?page_size=100');
  const text = await answer.text();
  const { data } = JSON.parse(text) as { data: { entries: { action: string }[] } };
  const actions = new Set(
    Object.values(data)
      .flat()
      .map((entry) => (entry as { action?: string })?.action),
  );
  for (const action of ['identity_provider_created', 'user_registered', 'login_succeeded'])
    expect(actions).toContain(action);
  for (const shown of [text, await (await root.call(base)).text()]) expect(shown).not.toContain('never-shown-again');
});

test('return_to leads only to pages of the service', async () => {
  const places = ['//evil.example', '/\\evil.example', 'https://evil.example', '/.//evil.example', '/api/user/self'];
  for (const place of [...places, '/%09/evil.example/..//x']) {
    const { at } = await signIn('acme', 'ann', browser(), `?return_to=${encodeURIComponent(place)}`);
    expect(new URL(at, 'http://localhost:3000').origin).toBe('http://localhost:3000');
    if (places.includes(place)) expect(at).toBe('/');
  }
});

test('only verified addresses of the allowed domains are accepted', async () => {
  await connect('strict', { email_domains: ['Acme.example'] });
  company.people.away = { email: 'x@evil.example', email_verified: true };
  company.people.below = { email: 'x@sub.acme.example', email_verified: true };
  company.people.tricky = { email: 'x@acme.example@evil.example', email_verified: true };
  company.people.liar = { email: 'x@acme.example', email_verified: false };
  company.people.fine = { email: 'fine@acme.example', email_verified: true };
  for (const [login, code] of [
    ['away', 'domain_not_allowed'],
    ['below', 'domain_not_allowed'],
    ['tricky', 'email_not_verified'],
    ['liar', 'email_not_verified'],
  ] as const)
    expect((await signIn('strict', login)).at).toBe(`/login?sign_in_error=${code}`);
  expect((await signIn('strict', 'fine')).at).toBe('/');
});

test('a provider without trust_email verifies no address', async () => {
  await connect('untrusted', { trust_email: false });
  const { at, by } = await signIn('untrusted', 'ann');
  expect(at).toBe('/');
  expect(await selfOf(by)).toMatchObject({ username: 'ann-2', email_verified: false });
});

test('sign-up can be disabled, and a provider turned off', async () => {
  const { id } = await connect('closed', { allow_sign_up: false });
  company.people.new = { preferred_username: 'newcomer' };
  expect((await signIn('closed', 'new')).at).toBe('/login?sign_in_error=sign_up_closed');
  await root.call(`${base}/${id}`, { method: 'PUT', body: { enabled: false } });
  expect((await t.call('/api/auth/closed/start')).status).toBe(404);
  expect((await t.call('/api/auth/closed/callback?state=x&code=y')).status).toBe(404);
  expect(await (await t.call('/api/auth/providers')).text()).not.toContain('closed');
});

test('groups set the role at every sign-in, and never grant root', async () => {
  await connect('mapped', { role_claim: 'groups', role_map: { admins: 10 } });
  company.people.boss = { preferred_username: 'boss', groups: ['staff', 'admins'] };
  expect(await selfOf((await signIn('mapped', 'boss')).by)).toMatchObject({ role: roles.administrator });
  company.people.boss.groups = ['staff'];
  expect(await selfOf((await signIn('mapped', 'boss')).by)).toMatchObject({ role: roles.user });
  company.people.boss.groups = '__proto__';
  expect(await selfOf((await signIn('mapped', 'boss')).by)).toMatchObject({ role: roles.user });
  const rootMap = await root.call(base, {
    method: 'POST',
    body: { slug: 'r', name: 'R', issuer: company.issuer, ...company.client, role_map: { a: 100 } },
  });
  expect(rootMap.status).toBe(400);
});

test('an address verified by an existing account is connected after its password', async () => {
  await connect('links');
  const carl = await t.user('carl');
  await carl.call('/api/user/self', { method: 'PUT', body: { email: 'carl@acme.example' } });
  company.people.carl = { email: 'Carl@Acme.example', email_verified: true, preferred_username: 'carl' };
  // Not verified here: whoever wrote it there need not have it.
  company.people.stranger = { ...company.people.carl };
  expect(await selfOf((await signIn('links', 'stranger')).by)).not.toMatchObject({ id: carl.id });
  const stranger = await selfOf((await signIn('links', 'stranger')).by);
  await root.call(`/api/admin/users/${stranger.id}`, { method: 'PUT', body: { email_verified: false } });
  await root.call(`/api/admin/users/${carl.id}`, { method: 'PUT', body: { email_verified: true } });

  const { at, by } = await signIn('links', 'carl', browser(), '?return_to=/keys');
  expect(at).toStartWith('/link-account?link=');
  expect((await by.visit(own('/api/user/self'))).status).toBe(401);
  const link = at.split('=')[1]!;
  const shown = await send(by, 'GET', `/api/auth/link?link=${link}`);
  expect(shown.data).toMatchObject({ username: 'carl', has_password: true, logged_in: false });
  expect((await t.call(`/api/auth/link?link=${link}`)).status).toBe(404);
  expect((await send(by, 'POST', '/api/auth/link', { link })).status).toBe(400);
  expect((await send(by, 'POST', '/api/auth/link', { link, password: 'wrong' })).status).toBe(400);
  const linked = await send(by, 'POST', '/api/auth/link', { link, password: 'a fine password' });
  expect(linked).toMatchObject({ status: 200, data: { return_to: '/keys' } });
  expect(await selfOf(by)).toMatchObject({ id: carl.id });
  expect((await send(by, 'POST', '/api/auth/link', { link, password: 'a fine password' })).status).toBe(404);
  expect(await selfOf((await signIn('links', 'carl')).by)).toMatchObject({ id: carl.id });
});

test('accounts are connected and disconnected on the account page, except the last sign-in method', async () => {
  const dora = await t.user('dora');
  const by = browser();
  by.setCookie(own('/'), dora.cookie);
  company.people.dora = { email: 'dora@acme.example', email_verified: true };
  const begun = await send(by, 'POST', '/api/user/identities', { provider: 'acme', password: 'a fine password' });
  const back = await by.logInAt((begun.data as { url: string }).url, 'dora');
  expect((await by.visit(back)).headers.get('location')).toBe(own('/account'));
  const mine = await send(by, 'GET', '/api/user/identities');
  expect(mine.data).toMatchObject({ has_password: true, identities: [{ label: 'dora@acme.example' }] });
  const [{ id }] = (mine.data as { identities: { id: number }[] }).identities as [{ id: number }];

  // Somebody else's is not connected a second time, and a way that was begun by another is not gone.
  const eve = browser();
  eve.setCookie(own('/'), (await t.user()).cookie);
  const theirs = await send(eve, 'POST', '/api/user/identities', { provider: 'acme', password: 'a fine password' });
  const taken = await eve.logInAt((theirs.data as { url: string }).url, 'dora');
  expect((await eve.visit(taken)).headers.get('location')).toBe(own('/account?sign_in_error=already_linked'));
  expect((await send(eve, 'DELETE', `/api/user/identities/${id}`)).status).toBe(404);
  expect((await send(by, 'DELETE', `/api/user/identities/${id}`)).status).toBe(200);

  const { by: ann } = await signIn('acme', 'ann');
  const only = await send(ann, 'GET', '/api/user/identities');
  expect(only.data).toMatchObject({ has_password: false });
  const last = (only.data as { identities: { id: number }[] }).identities[0]!.id;
  expect((await send(ann, 'DELETE', `/api/user/identities/${last}`)).status).toBe(409);

  // No password opens an account without one, and a session that was left open gives it none.
  const guess = { username: 'ann', password: 'none:' };
  expect((await t.call('/api/user/login', { method: 'POST', body: guess })).status).toBe(401);
  const first = { password: 'my first password' };
  const { db } = t.platform.database;
  await db.updateTable('sessions').set({ created_at: 1 }).execute();
  expect((await send(ann, 'PUT', '/api/user/self', first)).status).toBe(403);
  await signIn('acme', 'ann', ann);
  expect((await send(ann, 'PUT', '/api/user/self', first)).status).toBe(200);
  expect((await send(ann, 'DELETE', `/api/user/identities/${last}`)).status).toBe(200);
  const login = { username: 'ann', password: 'my first password' };
  expect((await t.call('/api/user/login', { method: 'POST', body: login })).status).toBe(200);
});

test('users without a password can do what requires one within 15 minutes of signing in', async () => {
  company.people.gil = { preferred_username: 'gil', email: 'gil@elsewhere.example' };
  const { by } = await signIn('acme', 'gil');
  const { db } = t.platform.database;
  const age = () => db.updateTable('sessions').set({ created_at: 1, factor_at: null }).execute();
  const add = () => send(by, 'POST', '/api/user/totp', {});
  const remove = () => send(by, 'DELETE', '/api/user/self', {});
  await age();
  for (const late of [await add(), await remove(), await send(by, 'DELETE', '/api/user/self', { password: 'none:' })])
    expect([late.status, late.message?.includes('Log in again first')]).toEqual([403, true]);
  await signIn('acme', 'gil', by);
  const { secret } = (await add()).data as { secret: string };
  const code = codeAt(secret, t.platform.clock.nowMs());
  const confirmed = await send(by, 'POST', '/api/user/totp/confirm', { code });
  expect(confirmed.status).toBe(200);
  // With a factor, that one is asked for, and stands for having signed in.
  await age();
  expect(await remove()).toMatchObject({ status: 403, code: 'step_up_required' });
  const [recovery] = (confirmed.data as { recovery_codes: string[] }).recovery_codes;
  expect((await send(by, 'POST', '/api/user/step-up', { code: recovery })).status).toBe(200);
  expect((await remove()).status).toBe(200);
  expect((await by.visit(own('/api/user/self'))).status).toBe(401);

  company.people.hal = { preferred_username: 'hal' };
  const { by: hal } = await signIn('acme', 'hal');
  expect((await send(hal, 'DELETE', '/api/user/self', {})).status).toBe(200);
});

test('a provider replaces only the password: a second factor is still required', async () => {
  const fay = await t.user('fay');
  await fay.call('/api/user/self', { method: 'PUT', body: { email: 'fay@acme.example' } });
  await root.call(`/api/admin/users/${fay.id}`, { method: 'PUT', body: { email_verified: true } });
  const entered = { username: 'fay', password: 'a fine password' };
  const older = await t.call('/api/user/login', { method: 'POST', body: entered });
  const { recoveryCodes } = await enrol(t, fay);
  company.people.fay = { email: 'fay@acme.example', email_verified: true };
  // Nor does the password alone connect the two.
  const { at, by } = await signIn('links', 'fay');
  const link = at.split('=')[1]!;
  expect((await send(by, 'GET', `/api/auth/link?link=${link}`)).data).toMatchObject({ second_factor: true });
  expect((await send(by, 'POST', '/api/auth/link', { link, password: 'a fine password' })).status).toBe(403);
  // Nor does a session that has not shown it.
  by.setCookie(own('/'), older.headers.get('set-cookie')!);
  expect(await send(by, 'POST', '/api/auth/link', { link })).toMatchObject({ status: 403, code: 'step_up_required' });
  by.setCookie(own('/'), fay.cookie);
  expect((await send(by, 'POST', '/api/auth/link', { link })).status).toBe(200);

  const back = await signIn('links', 'fay', browser(), '?return_to=/keys');
  expect(back.at).toBe('/login?second_factor=totp%2Crecovery_code&next=%2Fkeys');
  expect((await back.by.visit(own('/api/user/self'))).status).toBe(401);
  const shown = await send(back.by, 'POST', '/api/user/login/second-factor', { code: recoveryCodes[0] });
  expect(shown.status).toBe(200);
  expect(await selfOf(back.by)).toMatchObject({ id: fay.id });
});

test('connecting fails if another user logged in meanwhile, and sign-in fails for a disabled account', async () => {
  const by = browser();
  by.setCookie(own('/'), (await t.user()).cookie);
  const begun = await send(by, 'POST', '/api/user/identities', { provider: 'acme', password: 'a fine password' });
  by.setCookie(own('/'), (await t.user()).cookie);
  const back = await by.logInAt((begun.data as { url: string }).url, 'dora');
  expect((await by.visit(back)).headers.get('location')).toBe(own('/account?sign_in_error=not_logged_in'));

  const self = await selfOf((await signIn('acme', 'other')).by);
  await root.call(`/api/admin/users/${self.id}`, { method: 'PUT', body: { status: 2 } });
  expect((await signIn('acme', 'other')).at).toBe('/login?sign_in_error=account_disabled');
});
