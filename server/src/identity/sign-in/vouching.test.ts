import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../../app.fixture.ts';
import { manualClock } from '../../lib/clock.ts';
import { openSealer } from '../../lib/seal.ts';
import { until } from '../../lib/until.fixture.ts';
import { keyEntry } from '../../platform/sealing-keys.ts';
import { resealVouching } from './store/grants.ts';
import { Upstreams } from './upstreams.ts';
import { keptGrants, signInThrough, startVoucher, type Voucher } from './voucher.fixture.ts';
import { openVouching, type VouchFault, type Vouching } from './vouching.ts';

/* What is kept of a sign-in where a provider vouches for its people, what it is used for, and when it ends. */

/** The library reads ID tokens by the true time: the clock goes on from there. */
const clock = manualClock(Date.now());
const base = '/api/admin/identity-providers';
const wanted = { audience: 'https://auth.example', resource: 'https://mcp.example/mcp', scope: 'read' };
let t: TestApp;
let root: Member;
let user: Member;
let voucher: Voucher;
let slug: string;
let provider: number;
let count = 0;

beforeAll(async () => {
  t = await openTestApp({ clock, env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  await t.setOption('RateLimitEnabled', false);
  root = await t.root();
});
beforeEach(async () => {
  voucher?.stop();
  voucher = startVoucher(clock);
  count += 1;
  slug = `company-${count}`;
  user = await t.user(`user-${count}`);
  await t.platform.database.db.deleteFrom('user_identities').execute();
  provider = await connect({ slug, vouches: true });
});
afterAll(async () => {
  voucher.stop();
  await t.close();
});

async function connect(fields: object): Promise<number> {
  const body = { name: 'Company', issuer: voucher.issuer, client_id: 'svc', client_secret: 'never-shown', ...fields };
  const answer = await root.call(base, { method: 'POST', body });
  const { data } = (await answer.json()) as { data: { id: number; vouches: boolean } };
  expect([answer.status, data.vouches]).toEqual([201, 'vouches' in fields && fields.vouches === true]);
  return data.id;
}
const change = async (body: object) => {
  expect((await root.call(`${base}/${provider}`, { method: 'PUT', body })).status).toBe(200);
};
const kept = () => keptGrants(t);
const vouching = (): Vouching => t.app.mcp.room.vouching;
/** As another process has it. */
function another(): Vouching {
  const { sealer } = t.app.mcp.room;
  const upstreams = new Upstreams({ clock, sealer, allowPrivate: true });
  return openVouching({ db: t.platform.database.db, clock, sealer, upstreams });
}
const assertion = (by = user, through = vouching()) => through.assertionFor(slug, by.id, wanted);
const fault = (asking: Promise<string>) =>
  asking.then(
    () => 'none',
    ({ code, detail }: VouchFault) => `${code}: ${detail}`,
  );
/** Past what the ID token has left. */
const runOut = () => clock.advance(600_000);
const renewing = () => until('it is being renewed', () => voucher.refreshes().length === 1);

test('nothing is stored or requested unless the operator enables it', async () => {
  await connect({ slug: `${slug}-plain` });
  const { scope } = await signInThrough(user, `${slug}-plain`);
  expect(scope).toBe('openid email profile');
  expect(await kept()).toEqual([null]);
  expect(await vouching().provider(`${slug}-plain`)).toBeNull();
  expect(await fault(vouching().assertionFor(`${slug}-plain`, user.id, wanted))).toStartWith('no_provider');
  const github = { slug: `${slug}-github`, kind: 'github', vouches: true };
  const body = { name: 'GitHub', issuer: voucher.issuer, client_id: 'svc', client_secret: 's', ...github };
  const answer = await root.call(base, { method: 'POST', body });
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('vouches: is only available')]);
});

test('tokens of a sign-in are stored encrypted, reported as present, and never shown', async () => {
  const { at, scope } = await signInThrough(user, slug);
  expect([at, scope]).toEqual(['/tools', 'openid email profile offline_access']);
  expect(await kept()).toMatchObject([{ refreshToken: 'refresh-ann-1', expiresAt: expect.any(Number) }]);
  const rows = await t.platform.database.db.selectFrom('user_identities').selectAll().execute();
  const shown = await (await user.call('/api/user/identities')).text();
  const exported = await (await user.call('/api/user/self/export')).text();
  const audited = await (await root.call('/api/admin/audit?page_size=100')).text();
  expect(JSON.parse(shown).data.identities).toMatchObject([{ vouches: true }]);
  expect(exported).toContain('"vouches":true');
  for (const text of [JSON.stringify(rows), shown, exported, audited]) {
    expect(text).not.toContain('refresh-ann');
    expect(text).not.toContain('eyJhbGciOi');
  }
  expect([shown, exported, audited].join()).not.toContain('grant_sealed');
});

test('unsupported scopes are not requested, and existing ones not twice', async () => {
  await change({ scopes: 'openid offline_access' });
  expect((await signInThrough(user, slug)).scope).toBe('openid offline_access');
  voucher.says({ scopes_supported: ['openid', 'email'] });
  await change({ scopes: 'openid' });
  expect((await signInThrough(user, slug)).scope).toBe('openid');
});

test('the ID token is exchanged for an assertion for its audience', async () => {
  await signInThrough(user, slug);
  expect(await voucher.believed(await assertion(), wanted.audience)).toBe('ann');
  const [asked] = voucher.exchanges();
  expect(Object.fromEntries(asked!)).toMatchObject({
    requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    ...wanted,
  });
  expect(voucher.refreshes()).toHaveLength(0);
});

test('an expired ID token is refreshed once, under concurrency and across processes', async () => {
  await signInThrough(user, slug);
  runOut();
  voucher.company.wait = () => Bun.sleep(150);
  const processes = [vouching(), another(), another()];
  const all = await Promise.all(processes.flatMap((one) => [assertion(user, one), assertion(user, one)]));
  expect(all).toHaveLength(6);
  expect(voucher.refreshes()).toHaveLength(1);
  expect(await kept()).toMatchObject([{ refreshToken: 'refresh-ann-2' }]);
  // A provider need not give a new one each time.
  runOut();
  voucher.company.refreshes = false;
  voucher.refreshTokens.set('refresh-ann-2', 'ann');
  await assertion();
  expect(await kept()).toMatchObject([{ refreshToken: 'refresh-ann-2' }]);
});

test('a process that dies during a refresh does not block others for long', async () => {
  await signInThrough(user, slug);
  runOut();
  voucher.company.wait = () => new Promise(() => {});
  void assertion(user, another()).catch(() => {});
  await renewing();
  voucher.company.wait = async () => {};
  voucher.refreshTokens.set('refresh-ann-1', 'ann');
  clock.advance(26_000);
  expect(await voucher.believed(await assertion(), wanted.audience)).toBe('ann');
});

test('users who never signed in with the provider, or are unknown there, must sign in again', async () => {
  expect(await fault(assertion())).toStartWith('sign_in_again: no sign-in is stored');
  await signInThrough(user, slug);
  runOut();
  voucher.refreshTokens.clear();
  expect(await fault(assertion())).toBe('sign_in_again: the provider no longer accepts the refresh token');
  expect(await kept()).toEqual([null]);
  expect(await vouching().accountOf(slug, user.id)).toBeNull();
  await signInThrough(user, slug);
  expect(await voucher.believed(await assertion(), wanted.audience)).toBe('ann');
});

test('without a refresh token it ends when the ID token expires', async () => {
  voucher.company.refreshes = false;
  await signInThrough(user, slug);
  expect(await voucher.believed(await assertion(), wanted.audience)).toBe('ann');
  clock.advance(600_000);
  expect(await fault(assertion())).toStartWith('sign_in_again: the ID token has expired');
  expect(await kept()).toEqual([null]);
});

test('an ID token of another user is rejected', async () => {
  await signInThrough(user, slug);
  const other = await t.user(`other-${count}`);
  expect(await fault(assertion(other))).toStartWith('sign_in_again');
  voucher.company.person = 'bob';
  await signInThrough(other, slug);
  expect(await voucher.believed(await assertion(other), wanted.audience)).toBe('bob');
  expect(await voucher.believed(await assertion(user), wanted.audience)).toBe('ann');
  // The account of one is never the other's, whoever brings it.
  voucher.company.person = 'ann';
  expect((await signInThrough(other, slug)).at).toBe('/account?sign_in_error=already_linked');
  expect(await voucher.believed(await assertion(other), wanted.audience)).toBe('bob');
  runOut();
  voucher.refreshTokens.set('refresh-ann-1', 'bob');
  expect(await fault(assertion(user))).toStartWith('sign_in_again: the provider issued the ID token of another user');
});

test('of several accounts of a user at one provider, the last used one is taken', async () => {
  await signInThrough(user, slug);
  clock.advance(1_000);
  voucher.company.person = 'second-ann';
  await signInThrough(user, slug);
  expect(await voucher.believed(await assertion(), wanted.audience)).toBe('second-ann');
  clock.advance(1_000);
  voucher.company.person = 'ann';
  await signInThrough(user, slug);
  expect(await voucher.believed(await assertion(), wanted.audience)).toBe('ann');
});

const endings: [what: string, end: () => Promise<unknown>][] = [
  ['vouching is turned off for the provider', () => change({ vouches: false })],
  ['the provider has another client', () => change({ client_id: 'other' })],
  ['the provider is deleted', () => root.call(`${base}/${provider}`, { method: 'DELETE' })],
  [
    'the account is disconnected',
    async () => {
      const { data } = (await (await user.call('/api/user/identities')).json()) as {
        data: { identities: { id: number }[] };
      };
      await user.call(`/api/user/identities/${data.identities[0]!.id}`, { method: 'DELETE' });
    },
  ],
  ['the user is deleted', () => root.call(`/api/admin/users/${user.id}`, { method: 'DELETE' })],
];
for (const [what, end] of endings)
  test(`it ends when ${what}`, async () => {
    await signInThrough(user, slug);
    await assertion();
    await end();
    expect((await kept()).filter((grant) => grant !== null)).toEqual([]);
    expect(await fault(assertion())).toMatch(/^(sign_in_again|no_provider)/);
    expect(voucher.exchanges()).toHaveLength(1);
  });

test('a disabled provider issues no assertions until it is enabled', async () => {
  await signInThrough(user, slug);
  await change({ enabled: false });
  expect(await fault(assertion())).toStartWith('no_provider');
  await change({ enabled: true });
  expect(await voucher.believed(await assertion(), wanted.audience)).toBe('ann');
});

test('a grant that ends during a refresh stays ended', async () => {
  await signInThrough(user, slug);
  runOut();
  const ended = Promise.withResolvers<void>();
  voucher.company.wait = () => ended.promise;
  const asking = fault(assertion());
  await renewing();
  await change({ vouches: false });
  ended.resolve();
  expect(await asking).toStartWith('sign_in_again');
  expect(await kept()).toEqual([null]);
});

test('a new sign-in during a refresh takes precedence', async () => {
  await signInThrough(user, slug);
  runOut();
  const signedIn = Promise.withResolvers<void>();
  voucher.company.wait = () => signedIn.promise;
  const asking = assertion();
  await renewing();
  await signInThrough(user, slug);
  signedIn.resolve();
  const [{ refreshToken } = {}] = (await keptGrants(t)) as { refreshToken?: string }[];
  expect(await voucher.believed(await asking, wanted.audience)).toBe('ann');
  expect(await kept()).toMatchObject([{ refreshToken }]);
});

const json = (body: unknown, status = 200) => Response.json(body, { status });
const lies: [what: string, lie: Partial<Voucher['company']>, fault: string][] = [
  [
    'a refusal',
    { answer: json({ error: 'access_denied', error_description: 'eyJhbGciOi' }, 403) },
    'refused: it says access_denied',
  ],
  ['a rejected ID token', { answer: json({ error: 'invalid_grant' }, 400) }, 'sign_in_again: '],
  ['an invalid error', { answer: json({ error: 'x'.repeat(100) }, 400) }, 'failed: '],
  ['a status alone', { answer: new Response('', { status: 500 }) }, 'failed: '],
  [
    'a body that is not JSON',
    { answer: new Response('<p>', { headers: { 'content-type': 'text/html' } }) },
    'failed: ',
  ],
  ['a redirect', { answer: new Response(null, { status: 302, headers: { location: '/elsewhere' } }) }, 'failed: '],
  ['an access token', { answer: { token_type: 'Bearer' } }, 'failed: the provider returned a token of another type'],
  ['a token without a type', { answer: { token_type: undefined } }, 'failed: '],
  [
    'a token of another type',
    { answer: { issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' } },
    'failed: the provider returned a token of another type',
  ],
  ['a too long token', { answer: { access_token: 'x'.repeat(20_000) } }, 'failed: its assertion is longer than'],
  ['an oversized body', { answer: { access_token: 'x'.repeat(700_000) } }, 'failed: '],
];
for (const [what, lie, expected] of lies)
  test(`a provider that answers with ${what} gives no assertion`, async () => {
    await signInThrough(user, slug);
    Object.assign(voucher.company, lie);
    const told = await fault(assertion());
    expect(told).toStartWith(expected);
    expect(told).not.toContain('eyJhbGciOi');
    // Nothing of it was the user's doing.
    expect(await kept()).toMatchObject([{ refreshToken: 'refresh-ann-1' }]);
  });

const renewals: [what: string, refreshed: Voucher['company']['refreshed'], fault: string][] = [
  ['no ID token', { id_token: undefined }, 'sign_in_again: the provider issues no new ID token'],
  ['an invalid ID token', { id_token: 'e30.e30.e30' }, 'failed: '],
  ['a status alone', new Response('', { status: 503 }), 'failed: '],
];
for (const [what, refreshed, expected] of renewals)
  test(`a provider that refreshes with ${what} gives no assertion`, async () => {
    await signInThrough(user, slug);
    runOut();
    voucher.company.refreshed = refreshed;
    expect(await fault(assertion())).toStartWith(expected);
    expect(voucher.exchanges()).toHaveLength(0);
    const grants = await kept();
    expect(grants).toMatchObject([expected === 'failed: ' ? { refreshToken: 'refresh-ann-1' } : null]);
    if (grants[0]) expect(grants[0]).not.toHaveProperty('heldUntil');
  });

test('a sign-in that first needs the account’s password counts once the accounts are connected', async () => {
  const { db } = t.platform.database;
  await db
    .updateTable('users')
    .set({ email: 'ann@company.example', email_verified: 1 })
    .where('id', '=', user.id)
    .execute();
  await change({ trust_email: true });
  const started = await t.call(`/api/auth/${slug}/start`);
  const left = new URL(started.headers.get('location')!).searchParams;
  const cookie = started.headers.get('set-cookie')!.split(';')[0]!;
  voucher.company.person = 'ann@company.example';
  const query = new URLSearchParams({ code: left.get('nonce')!, state: left.get('state')! });
  const back = await t.call(`/api/auth/${slug}/callback?${query}`, { headers: { cookie } });
  const place = new URL(back.headers.get('location')!);
  expect(place.pathname).toBe('/link-account');
  expect(await kept()).toEqual([]);
  const body = { link: place.searchParams.get('link') };
  const linked = await user.call('/api/auth/link', {
    ...{ method: 'POST', body, headers: { cookie: `${user.cookie}; ${cookie}`, origin: 'http://localhost:3000' } },
  });
  expect(linked.status).toBe(200);
  expect(await voucher.believed(await assertion(), wanted.audience)).toBe('ann@company.example');
});

test('a new encryption key re-encrypts it; without the old key the user must sign in again', async () => {
  await signInThrough(user, slug);
  const { db } = t.platform.database;
  const { reseal } = openSealer({ keys: [keyEntry(new Uint8Array(32).fill(7)), ...t.platform.sealingKeys] });
  expect(await resealVouching(db, reseal)).toBe(1);
  expect(await resealVouching(db, reseal)).toBe(0);
  expect(await fault(assertion())).toBe('sign_in_again: the stored sign-in has expired');
});
