import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Member, openTestApp, rootPassword, type TestApp } from '../app.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import { until } from '../lib/until.fixture.ts';
import { lookedAt } from '../platform/db/plans.fixture.ts';
import { makeAdministrator } from './administrator.ts';
import { cookieOf, dataOf, enrol, password, post } from './factors/factors.fixture.ts';
import { type Inbox, openInbox } from './links/smtp.fixture.ts';
import { roles } from './user.ts';

const clock = manualClock(Date.UTC(2026, 0, 15, 12));
const another = 'another fine password';
let inbox: Inbox;
let t: TestApp;
let root: Member;
beforeAll(async () => {
  inbox = await openInbox();
  t = await openTestApp({ clock, env: { SMTP_URL: inbox.url, MAIL_FROM: 'svc <svc@svc.example>' } });
  await t.setOption('RateLimitEnabled', false);
  root = await t.root();
});
afterAll(async () => {
  await t?.close();
  await inbox?.close();
});

interface Person {
  user: { id: number; role: number; quota: number };
  has_password: boolean;
  totp_since: number | null;
  invitation: { mailed: boolean; expires_at: number } | null;
}
interface Notice {
  id: number;
  kind: string;
  about: Record<string, unknown>;
}
const tokenIn = (text: string): string => /#([A-Za-z0-9]{48})/.exec(text)![1]!;
const mailsTo = (address: string) => inbox.mails.filter(({ to }) => to === address);
const invite = (body: object, by = root) => post(by, '/api/admin/invitations', body);
const invited = (body: object) => dataOf<{ user: { id: number }; url: string }>(invite(body));
const withdraw = (id: number) => root.call(`/api/admin/invitations/${id}`, { method: 'DELETE' });
const choose = (url: string) => post(t, '/api/user/password/reset', { token: tokenIn(url), password: another });
const person = (id: number) => dataOf<Person>(root.call(`/api/admin/users/${id}`));
const open = async () =>
  (
    await dataOf<{ invitations: { user: { username: string } }[] }>(root.call('/api/admin/invitations'))
  ).invitations.map(({ user }) => user.username);
const noticesOf = async (member: Member): Promise<Notice[]> =>
  (await dataOf<{ notices: Notice[] }>(member.call('/api/user/notices'))).notices;

async function administrator(name: string): Promise<Member> {
  const account = { username: name, role: roles.administrator, password: rootPassword };
  await makeAdministrator(t.app.identity.accounts, account);
  return again(name, rootPassword);
}
async function again(username: string, secret: string = password): Promise<Member> {
  const answer = await post(t, '/api/user/login', { username, password: secret });
  const cookie = cookieOf(answer);
  const { id } = await dataOf<{ id: number }>(answer);
  const call: Member['call'] = (path, init = {}) => t.call(path, { ...init, headers: { cookie, ...init.headers } });
  return { id, username, cookie, call, key: async () => '' };
}
async function verified(email: string): Promise<Member> {
  const member = await t.user();
  await member.call('/api/user/self', { method: 'PUT', body: { email } });
  await root.call(`/api/admin/users/${member.id}`, { method: 'PUT', body: { email_verified: true } });
  return member;
}

describe('invitations', () => {
  test('set role and balance, are listed while pending, and work once under concurrency', async () => {
    const { user, url } = await invited({ username: 'ines', role: 10, quota: 1_500_000 });
    expect(await person(user.id)).toMatchObject({
      user: { role: 10, quota: 1_500_000 },
      has_password: false,
      invitation: { mailed: false },
    });
    expect(await open()).toContain('ines');
    const statuses = (await Promise.all([choose(url), choose(url)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 400]);
    expect(await open()).not.toContain('ines');
    expect(await person(user.id)).toMatchObject({ has_password: true, invitation: null });
    expect((await post(t, '/api/user/login', { username: 'ines', password: another })).status).toBe(200);
    const ledger = await dataOf<{ entries: { amount: number }[] }>(root.call(`/api/admin/ledger?user_id=${user.id}`));
    expect(ledger.entries.map(({ amount }) => amount)).toEqual([1_500_000]);
  });

  test('cannot grant the inviter’s role or higher, or a negative balance', async () => {
    const admin = await administrator('anton');
    expect((await invite({ username: 'peer', role: 10 }, admin)).status).toBe(403);
    expect((await invite({ username: 'peer', role: 100 })).status).toBe(400);
    expect((await invite({ username: 'peer', quota: -1 })).status).toBe(400);
    expect((await invite({ username: 'peer', quota: 2e12 })).status).toBe(400);
    expect((await invite({ username: 'peer' }, admin)).status).toBe(200);
  });

  test('can be revoked: the link stops working, and the username is available again', async () => {
    const { user, url } = await invited({ username: 'gone' });
    expect((await withdraw(user.id)).status).toBe(200);
    expect((await choose(url)).status).toBe(400);
    expect((await withdraw(user.id)).status).toBe(404);
    expect((await invite({ username: 'gone' })).status).toBe(200);
  });

  test('used and revoked concurrently, exactly one of both succeeds', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { user, url } = await invited({ username: `race-${round}` });
      const [used, taken] = await Promise.all([choose(url), withdraw(user.id)]);
      expect([used.status === 200, taken.status === 200].filter(Boolean)).toHaveLength(1);
      const { status } = await post(t, '/api/user/login', { username: `race-${round}`, password: another });
      expect(status).toBe(used.status === 200 ? 200 : 401);
    }
  });

  test('cannot be revoked once the account has an owner, by any sign-in method', async () => {
    const { user } = await invited({ username: 'owned' });
    const path = `/api/admin/users/${user.id}/links`;
    const { url } = await dataOf<{ url: string }>(post(root, path, { purpose: 'reset_password' }));
    expect((await choose(url)).status).toBe(200);
    expect((await withdraw(user.id)).status).toBe(409);
    expect((await post(t, '/api/user/login', { username: 'owned', password: another })).status).toBe(200);
    expect((await post(root, path, { purpose: 'invitation' })).status).toBe(409);
  });

  test('expire, and a new one replaces the previous one', async () => {
    const { user, url } = await invited({ username: 'late' });
    clock.advance(7 * 86_400_000 + 1_000);
    root = await t.root();
    expect((await choose(url)).status).toBe(400);
    expect(await open()).not.toContain('late');
    const path = `/api/admin/users/${user.id}/links`;
    const first = await dataOf<{ url: string }>(post(root, path, { purpose: 'invitation' }));
    const second = await dataOf<{ url: string }>(post(root, path, { purpose: 'invitation' }));
    expect(await open()).toContain('late');
    expect((await choose(first.url)).status).toBe(400);
    expect((await choose(second.url)).status).toBe(200);
  });
});

describe('links', () => {
  test('are emailed to a verified address, and the owner is notified', async () => {
    const member = await verified('lena@mail.example');
    const path = `/api/admin/users/${member.id}/links`;
    const made = await dataOf(post(root, path, { purpose: 'reset_password', mail: true }));
    expect(made).toEqual({ url: null, mailed: true });
    await until('the mails have come', () => mailsTo('lena@mail.example').length === 2);
    const link = mailsTo('lena@mail.example').find(({ text }) => text.includes('#'))!;
    expect(await noticesOf(member)).toMatchObject([{ kind: 'password_link', about: { by: 'root' } }]);
    expect((await choose(link.text)).status).toBe(200);
  });

  test('for a password are not emailed to an unverified address', async () => {
    const member = await t.user();
    const path = `/api/admin/users/${member.id}/links`;
    expect((await post(root, path, { purpose: 'verify_email', mail: true })).status).toBe(409);
    await member.call('/api/user/self', { method: 'PUT', body: { email: 'lars@mail.example' } });
    expect((await post(root, path, { purpose: 'reset_password', mail: true })).status).toBe(409);
    expect((await post(root, path, { purpose: 'verify_email', mail: true })).status).toBe(200);
    await until('the mail has come', () => mailsTo('lars@mail.example').length === 1);
  });
});

describe('users', () => {
  test('whose sessions an administrator ends are logged out on every device and notified', async () => {
    const member = await verified('mona@mail.example');
    const phone = await again(member.username);
    const sessions = await dataOf<{ id: number; ip: string }[]>(root.call(`/api/admin/users/${member.id}/sessions`));
    expect(sessions).toHaveLength(2);
    const path = `/api/admin/users/${member.id}/sessions`;
    expect((await root.call(`${path}/${sessions[0]!.id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await root.call(`${path}/${sessions[0]!.id}`, { method: 'DELETE' })).status).toBe(404);
    expect(await dataOf(root.call(path, { method: 'DELETE' }))).toEqual({ ended: 1 });
    for (const device of [member, phone]) expect((await device.call('/api/user/self')).status).toBe(401);
    const back = await again(member.username);
    expect((await noticesOf(back)).map(({ kind }) => kind)).toEqual(['sessions_ended', 'sessions_ended']);
    await until('the mails have come', () => mailsTo('mona@mail.example').length === 2);
  });

  test('whose second factor is reset have none, are notified, and can dismiss the notice', async () => {
    const member = await verified('nora@mail.example');
    await enrol(t, member);
    expect((await person(member.id)).totp_since).not.toBeNull();
    expect((await root.call(`/api/admin/users/${member.id}/factors`, { method: 'DELETE' })).status).toBe(200);
    expect((await person(member.id)).totp_since).toBeNull();
    const [notice] = await noticesOf(member);
    expect(notice).toMatchObject({ kind: 'factors_removed', about: { by: 'root' } });
    expect(await dataOf(member.call('/api/user/self'))).toMatchObject({ notices: 1 });
    // Of the app that was set up, and of its end.
    await until('the mails have come', () => mailsTo('nora@mail.example').length === 2);
    const other = await t.user();
    expect((await other.call(`/api/user/notices/${notice!.id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await member.call(`/api/user/notices/${notice!.id}`, { method: 'DELETE' })).status).toBe(200);
    expect(await noticesOf(member)).toEqual([]);
    expect(await dataOf(member.call('/api/user/self'))).toMatchObject({ notices: 0 });
  });

  test('are shown with keys, applications, authorizations, and audit entries by or about them', async () => {
    const member = await t.user();
    await member.key({ name: 'laptop' });
    const application = { name: 'Board', redirect_uris: ['http://localhost/cb'], scopes: 'openid' };
    await post(member, '/api/oauth2/applications', application);
    const keys = await dataOf<{ name: string; key: string }[]>(root.call(`/api/admin/users/${member.id}/keys`));
    expect(keys).toMatchObject([{ name: 'laptop', key: expect.stringMatching(/^sk-.*[*…]/) }]);
    const owned = await dataOf<{ applications: { name: string }[]; total: number }>(
      root.call(`/api/oauth2/admin/applications?owner_id=${member.id}`),
    );
    expect([owned.total, owned.applications[0]!.name]).toEqual([1, 'Board']);
    expect(await dataOf(root.call(`/api/oauth2/admin/consents?user_id=${member.id}`))).toMatchObject({ total: 0 });
    await root.call(`/api/admin/users/${member.id}`, { method: 'PUT', body: { group: 'friends' } });
    const { logs, total } = await dataOf<{ logs: { action: string }[]; total: number }>(
      root.call(`/api/admin/audit?user_id=${member.id}`),
    );
    const actions = ['user_updated', 'app_created', 'key_created', 'user_registered'];
    expect([logs.map(({ action }) => action), total]).toEqual([actions, 4]);
    const narrowed = await dataOf<{ logs: { action: string }[] }>(
      root.call(`/api/admin/audit?user_id=${member.id}&actor=root`),
    );
    expect(narrowed.logs.map(({ action }) => action)).toEqual(['user_updated']);
    for (const path of ['', '/keys', '/sessions'])
      expect([path, (await root.call(`/api/admin/users/999999${path}`)).status]).toEqual([path, 404]);
  });
});

test('with AdminSecondFactor, administrators without one have user rights only, until they set one up', async () => {
  const admin = await administrator('ada');
  const set = (by: Member, value: boolean) =>
    by.call('/api/admin/options', { method: 'PUT', body: { key: 'AdminSecondFactor', value } });
  // Whoever has none themselves would be locked out by it.
  expect((await set(root, true)).status).toBe(409);
  await enrol(t, root, rootPassword);
  expect((await set(root, true)).status).toBe(200);
  for (const path of ['/api/admin/users', '/api/admin/options', '/api/mcp/servers', '/api/oauth2/admin/applications']) {
    const refused = await admin.call(path);
    expect([path, refused.status]).toEqual([path, 403]);
    expect(await refused.json()).toMatchObject({ code: 'second_factor_required' });
    expect((await root.call(path)).status).toBe(200);
  }
  expect(await dataOf(admin.call('/api/user/security'))).toMatchObject({ required: true, methods: [] });
  expect(await dataOf((await t.user()).call('/api/user/security'))).toMatchObject({ required: false });
  await enrol(t, admin, rootPassword);
  expect((await admin.call('/api/admin/users')).status).toBe(200);
  // From memory, until a factor comes or goes.
  const { db } = t.platform.database;
  const asked = () => lookedAt(db, () => admin.call('/api/admin/options'), /totp|passkeys|recovery_codes/);
  expect(await asked()).toEqual([]);
  const removed = await root.call(`/api/admin/users/${admin.id}/factors`, { method: 'DELETE' });
  expect(removed.status).toBe(200);
  expect((await admin.call('/api/admin/users')).status).toBe(403);
  expect(await asked()).toEqual([]);
  expect((await set(root, false)).status).toBe(200);
});
