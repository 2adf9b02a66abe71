import { afterAll, beforeAll, beforeEach, expect, spyOn, test } from 'bun:test';
import { type Member, openTestApp, rootPassword, type TestApp } from '../app.fixture.ts';
import { signInThrough, startVoucher, type Voucher } from '../identity/sign-in/voucher.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import { administration } from './mcp.fixture.ts';
import { openOwnTokens } from './own-tokens.ts';
import { type SignedInServer, startSignedIn, tokenSeen } from './signed-in.fixture.ts';
import { findGrant } from './store/grants.ts';
import { findServer } from './store/servers.ts';

/* Servers at which the company's identity provider vouches for each user: nobody signs in there, and each has a token of their own. */

/** The library reads ID tokens by the true time: the clock goes on from there. */
const clock = manualClock(Date.now());
const secret = 'never+shown/again=';
const base = '/api/mcp/servers';
let t: TestApp;
let root: Member;
let ann: Member;
let bob: Member;
let voucher: Voucher;
let server: SignedInServer;
let provider: number;
let slug: string;
let count = 0;

beforeAll(async () => {
  t = await openTestApp({ clock, env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  await t.setOption('RateLimitEnabled', false);
  [root, ann, bob] = [await t.root(), await t.user('ann'), await t.user('bob')];
});
beforeEach(async () => {
  voucher?.stop();
  server?.stop();
  voucher = startVoucher(clock);
  server = startSignedIn();
  server.byHand = { app: secret };
  server.vouchedFor = voucher.believed;
  count += 1;
  slug = `company-${count}`;
  const body = { slug, name: 'Company', issuer: voucher.issuer, client_id: 'svc', client_secret: 'of-the-provider' };
  const answer = await root.call('/api/admin/identity-providers', { method: 'POST', body: { ...body, vouches: true } });
  provider = ((await answer.json()) as { data: { id: number } }).data.id;
});
afterAll(async () => {
  voucher.stop();
  server.stop();
  await t.close();
});

interface Shown {
  id: number;
  name: string;
}
async function send(method: string, path: string, body?: unknown, by = root) {
  const answer = await by.call(`${base}${path}`, { method, body });
  const { data, message } = (await answer.json()) as { data: Shown; message?: string };
  return { status: answer.status, data, message };
}
const fieldsOf = (more: object = {}) => ({
  ...{ name: `e${count}`, url: server.url, audience: 'everyone', timeout_ms: 20_000 },
  ...{ auth: 'enterprise', vouched_by: slug, client_id: 'app', client_secret: secret, ...more },
});
async function connect(more: object = {}): Promise<Shown> {
  const { status, data, message } = await send('POST', '', fieldsOf(more));
  expect([status, message]).toEqual([201, undefined]);
  return data;
}
const comeAs = async (by: Member, person: string) => {
  voucher.company.person = person;
  expect((await signInThrough(by, slug, by === root ? rootPassword : undefined)).at).toBe('/tools');
};
/** Connected, with its tool allowed by an administrator whom the company knows. */
async function ready(): Promise<Shown> {
  const shown = await connect();
  await comeAs(root, 'root');
  await administration(root).allow(shown.id);
  return shown;
}
const whoIs = (name: string, by: Member): Promise<string> => tokenSeen(t, name, by);
/** What whoever calls is told in the words of the protocol. */
const toldTo = (name: string, by: Member): Promise<string> =>
  whoIs(name, by).then(
    (seen) => `it was called with ${seen}`,
    (error: { message: string; data?: { text?: string } }) => error.data?.text ?? error.message,
  );
async function standing(name: string, by: Member) {
  const { data } = (await (await by.call('/api/mcp/connections')).json()) as {
    data: { servers: { name: string; signed_in: boolean | null; sign_in_through: object | null }[] };
  };
  const { signed_in, sign_in_through } = data.servers.find((one) => one.name === name)!;
  return { signed_in, sign_in_through };
}

test('each user is vouched for, and calls use their own token', async () => {
  const { id, name } = await ready();
  const through = { slug, name: 'Company' };
  expect(await standing(name, ann)).toEqual({ signed_in: false, sign_in_through: through });
  await comeAs(ann, 'ann');
  await comeAs(bob, 'bob');
  expect(await standing(name, ann)).toEqual({ signed_in: true, sign_in_through: through });
  expect(await whoIs(name, ann)).toMatch(/^Bearer token-ann-/);
  expect(await whoIs(name, bob)).toMatch(/^Bearer token-bob-/);
  expect(await whoIs(name, ann)).toMatch(/^Bearer token-ann-/);
  const { origin } = new URL(server.url);
  expect(voucher.exchanges()).toHaveLength(3);
  expect(Object.fromEntries(voucher.exchanges()[1]!)).toMatchObject({ audience: origin, resource: server.url });
  expect(server.asked.map((asked) => asked.get('grant_type'))).toEqual(
    Array(3).fill('urn:ietf:params:oauth:grant-type:jwt-bearer'),
  );
  // The client is shown to be who it is, and the provider's own secret to nobody but the provider.
  expect(JSON.stringify(server.asked.map(String))).not.toContain('of-the-provider');
  expect((await send('POST', `/${id}/authorize`, undefined, ann)).status).toBe(400);
});

test('an expired token is renewed once for concurrent calls', async () => {
  const { id, name } = await ready();
  await comeAs(ann, 'ann');
  await whoIs(name, ann);
  const before = [voucher.exchanges().length, voucher.refreshes().length];
  clock.advance(3_600_000);
  voucher.company.wait = () => Bun.sleep(100);
  const shared = await Promise.all([whoIs(name, ann), whoIs(name, ann), whoIs(name, ann)]);
  expect(new Set(shared).size).toBe(1);
  expect([voucher.exchanges().length, voucher.refreshes().length]).toEqual([before[0]! + 1, before[1]! + 1]);
  clock.advance(3_600_000);
  const stored = (await findServer(t.platform.database.db, id))!;
  const processes = [1, 2, 3].map(() => openOwnTokens(t.app.mcp.room));
  const tokens = await Promise.all(processes.map((one) => one.token(stored, ann.id)));
  expect(new Set(tokens.map(({ text }) => text)).size).toBe(1);
  expect(voucher.refreshes().length).toBe(before[1]! + 2);
});

test('a user who never signed in through the provider is told what to do, in the protocol and on the page', async () => {
  const { id, name } = await ready();
  const words = 'the user has to sign in to this service again through Company';
  expect(await toldTo(name, ann)).toContain(words);
  await comeAs(ann, 'ann');
  await whoIs(name, ann);
  // Whose session ended there is told the same, once the token has run out.
  voucher.refreshTokens.clear();
  clock.advance(3_600_000);
  expect(await toldTo(name, ann)).toContain(words);
  expect(await standing(name, ann)).toMatchObject({ signed_in: false });
  expect((await administration(root).test(id)).error).toContain(words);
  clock.advance(5_000);
  await comeAs(ann, 'ann');
  expect(await whoIs(name, ann)).toMatch(/^Bearer token-ann-/);
});

const endings: [what: string, end: () => Promise<Response>][] = [
  [
    'turned off',
    () => root.call(`/api/admin/identity-providers/${provider}`, { method: 'PUT', body: { vouches: false } }),
  ],
  ['deleted', () => root.call(`/api/admin/identity-providers/${provider}`, { method: 'DELETE' })],
];
for (const [what, end] of endings)
  test(`tokens issued through the provider end at once when it is ${what}`, async () => {
    const { id, name } = await ready();
    await comeAs(ann, 'ann');
    await whoIs(name, ann);
    expect((await end()).status).toBe(200);
    expect(await toldTo(name, ann)).toContain('it is not configured');
    expect((await administration(root).test(id)).error).toContain(`no identity provider ${slug} that vouches`);
    expect(await standing(name, ann)).toEqual({ signed_in: false, sign_in_through: null });
  });

test('a token ends with the account it was issued for', async () => {
  const { name } = await ready();
  await comeAs(ann, 'ann');
  await whoIs(name, ann);
  const { data } = (await (await ann.call('/api/user/identities')).json()) as {
    data: { identities: { id: number; provider: { slug: string } }[] };
  };
  const { id } = data.identities.find((one) => one.provider.slug === slug)!;
  expect((await ann.call(`/api/user/identities/${id}`, { method: 'DELETE' })).status).toBe(200);
  expect(await toldTo(name, ann)).toContain('sign in to this service again');
  // Another account at the company is somebody else there.
  await comeAs(ann, 'second-ann');
  expect(await whoIs(name, ann)).toMatch(/^Bearer token-second-ann-/);
});

const lies: [what: string, lie: Partial<Voucher['company']>, told: string][] = [
  ['for another audience', { claims: { aud: 'https://other.example' } }, 'its audience is not'],
  ['for several other audiences', { claims: { aud: ['https://other.example', 'x'] } }, 'its audience is not'],
  ['without an audience', { claims: { aud: undefined } }, 'its audience is not'],
  ['that has expired', { claims: { exp: 1 } }, 'it has expired'],
  ['without an expiry', { claims: { exp: undefined } }, 'it has expired'],
  ['that is not a JWT', { answer: { access_token: 'opaque-to-us' } }, 'it is not a signed JWT'],
];
for (const [what, lie, expected] of lies)
  test(`an assertion ${what} is not sent`, async () => {
    const { id, name } = await ready();
    const asked = server.asked.length;
    await comeAs(ann, 'ann');
    Object.assign(voucher.company, lie);
    expect(await toldTo(name, ann)).toContain('Company could not vouch for the user at this server');
    await send('PUT', `/${id}`, { client_secret: secret });
    expect((await administration(root).test(id)).error).toContain(expected);
    expect(server.asked.length).toBe(asked);
  });

test('an assertion with additional audiences is not sent', async () => {
  const { name } = await ready();
  await comeAs(ann, 'ann');
  const asked = server.asked.length;
  voucher.company.claims = { aud: [new URL(server.url).origin, 'https://other.example'] };
  expect(await toldTo(name, ann)).toContain('could not vouch');
  expect(server.asked.length).toBe(asked);
});

test('the operator sees why it failed, users only that it failed, and no one a token or secret', async () => {
  const warned = spyOn(console, 'warn').mockImplementation(() => {});
  const { id, name } = await ready();
  await comeAs(ann, 'ann');
  voucher.company.answer = Response.json({ error: 'access_denied', error_description: 'eyJhbGciOi' }, { status: 400 });
  const told = await toldTo(name, ann);
  expect(told).toContain('Company does not vouch for the user at this server');
  expect(told).not.toContain('access_denied');
  await send('PUT', `/${id}`, { client_secret: secret });
  const tested = await administration(root).test(id);
  expect(tested.error).toContain('Company does not vouch for the user at this server: it says access_denied');
  // What the authorization server repeats of the assertion is not told either.
  voucher.company.answer = null;
  server.vouchedFor = async () => null;
  clock.advance(5_000);
  const refused = await administration(root).test(id);
  expect(refused.error).toContain('its authorization server returned invalid_grant');
  const rows = [];
  for (const table of ['mcp_grants', 'user_identities', 'audit_log'] as const)
    rows.push(
      await t.platform.database.db
        .selectFrom(table as 'mcp_grants')
        .selectAll()
        .execute(),
    );
  for (const text of [told, tested, refused, rows, warned.mock.calls].map((one) => JSON.stringify(one)))
    for (const hidden of ['eyJhbGciOi', secret, 'token-', 'refresh-', 'of-the-provider'])
      expect(text).not.toContain(hidden);
  warned.mockRestore();
});

test('a refusal is not requested again with each call', async () => {
  const { name } = await ready();
  await comeAs(ann, 'ann');
  voucher.company.answer = Response.json({ error: 'invalid_target' }, { status: 400 });
  const before = voucher.exchanges().length;
  for (let times = 0; times < 3; times += 1) expect(await toldTo(name, ann)).toContain('does not vouch');
  expect(voucher.exchanges().length).toBe(before + 1);
  clock.advance(5_000);
  await toldTo(name, ann);
  expect(voucher.exchanges().length).toBe(before + 2);
});

test('waiting for a silent provider ends', async () => {
  const { name } = await ready();
  await comeAs(ann, 'ann');
  voucher.company.wait = () => new Promise(() => {});
  const startMs = performance.now();
  expect(await toldTo(name, ann)).toContain('Company could not vouch for the user at this server');
  expect(performance.now() - startMs).toBeLessThan(20_000);
});

test('an assertion is sent only to the authorization server the client was first used with', async () => {
  const { id, name } = await ready();
  await comeAs(ann, 'ann');
  const other = startSignedIn();
  other.byHand = { app: secret };
  other.vouchedFor = voucher.believed;
  server.issuer = new URL(other.url).origin;
  const before = voucher.exchanges().length;
  expect(await toldTo(name, ann)).toContain('could not sign in to it');
  clock.advance(3_600_000);
  expect((await administration(root).test(id)).error).toContain('not the one its client was used with');
  expect([other.asked, voucher.exchanges().length]).toEqual([[], before]);
  other.stop();
});

test('invalid fields are rejected by name and change nothing', async () => {
  const plain = { slug: `${slug}-plain`, name: 'Plain', issuer: voucher.issuer, client_id: 'svc' };
  await root.call('/api/admin/identity-providers', { method: 'POST', body: plain });
  for (const [field, more] of [
    ['vouched_by', { vouched_by: '' }],
    ['vouched_by', { vouched_by: undefined }],
    ['vouched_by', { vouched_by: 'nobody' }],
    ['vouched_by', { vouched_by: plain.slug }],
    ['vouched_by', { vouched_by: 'Not a name' }],
    ['client_id', { client_id: '', client_secret: undefined }],
    ['client_secret', { client_secret: undefined }],
  ] as const) {
    const { status, message } = await send('POST', '', fieldsOf(more));
    expect([more, status, message?.startsWith(field)]).toEqual([more, 400, true]);
  }
  await t.setOption('McpUserServers', true);
  const own = await send('POST', '', fieldsOf({ audience: undefined }), ann);
  expect([own.status, own.message]).toEqual([400, "vouched_by: is only for the operator's servers"]);
  const { id } = await connect();
  expect((await send('PUT', `/${id}`, { vouched_by: '' })).status).toBe(400);
  expect((await send('GET', `/${id}`)).data).toMatchObject({ auth: 'enterprise', vouched_by: slug, client_id: 'app' });
});

test('grants from a provider are not used for individual sign-in or for another provider', async () => {
  const { id, name } = await ready();
  await comeAs(ann, 'ann');
  await whoIs(name, ann);
  const { db } = t.platform.database;
  expect(await findGrant(db, id, ann.id)).not.toBeNull();
  await send('PUT', `/${id}`, { auth: 'oauth' });
  expect(await findGrant(db, id, ann.id)).toBeNull();
  expect(await standing(name, ann)).toEqual({ signed_in: false, sign_in_through: null });
});
