import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../../app.fixture.ts';
import { manualClock } from '../../lib/clock.ts';
import { enrol } from '../factors/factors.fixture.ts';
import { startVoucher, type Voucher } from './voucher.fixture.ts';

/* Whoever finds a session cannot make a way in of their own. */

const clock = manualClock(Date.now());
let t: TestApp;
let voucher: Voucher;

beforeAll(async () => {
  t = await openTestApp({ clock, env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  voucher = startVoucher(clock);
  const client = { issuer: voucher.issuer, client_id: 'svc', client_secret: 'never-shown' };
  const provider = { slug: 'company', name: 'Company', ...client };
  const root = await t.root();
  expect((await root.call('/api/admin/identity-providers', { method: 'POST', body: provider })).status).toBe(201);
});
afterAll(async () => {
  voucher.stop();
  await t.close();
});

const begin = async (by: Pick<Member, 'call'>, shown: { password?: string } = {}) => {
  const answer = await by.call('/api/user/identities', { method: 'POST', body: { provider: 'company', ...shown } });
  const { code, message } = (await answer.json()) as { code?: string; message?: string };
  return { status: answer.status, said: code ?? message };
};

test('connecting an account requires the password, or a second factor if there is one', async () => {
  const user = await t.user();
  expect(await begin(user)).toMatchObject({ status: 400 });
  expect(await begin(user, { password: 'wrong' })).toMatchObject({ status: 400 });
  expect(await t.platform.database.db.selectFrom('sign_in_attempts').selectAll().execute()).toEqual([]);
  expect(await begin(user, { password: 'a fine password' })).toMatchObject({ status: 200 });

  await enrol(t, user);
  expect(await begin(user)).toMatchObject({ status: 200 });
  clock.advance(3_600_000);
  expect(await begin(user, { password: 'a fine password' })).toMatchObject({ status: 403, said: 'step_up_required' });
});

test('without a password it requires a recent login', async () => {
  const { db } = t.platform.database;
  const user = await t.user();
  await db.updateTable('users').set({ password_hash: 'none:x' }).where('id', '=', user.id).execute();
  expect(await begin(user)).toMatchObject({ status: 200 });
  clock.advance(1_000_000);
  expect(await begin(user)).toMatchObject({ status: 403, said: expect.stringContaining('Log in again first') });
});

test.each(['client_id', 'client_secret'])('%s may be any text of RFC 6749 appendix A', async (name) => {
  const root = await t.root();
  const given = { client_id: 'svc', client_secret: 's', [name]: 'My App: 100%+~' };
  const provider = { slug: `odd-${name.slice(7)}`, name: 'Company', issuer: voucher.issuer, ...given };
  const path = '/api/admin/identity-providers';
  expect((await root.call(path, { method: 'POST', body: provider })).status).toBe(201);
  const left = await t.call(`/api/auth/${provider.slug}/start`);
  expect(new URL(left.headers.get('location')!).searchParams.get('client_id')).toBe(given.client_id);
  for (const odd of [' a', 'a ', 'ü', 'a\tb']) {
    const answer = await root.call(path, { method: 'POST', body: { ...provider, slug: 'refused', [name]: odd } });
    expect([odd, answer.status]).toEqual([odd, 400]);
  }
});
