import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { JWK } from 'jose';
import type { Member } from '../../app.fixture.ts';
import { until } from '../../lib/until.fixture.ts';
import { jsonOf, type OAuthTest, openOAuthTest } from '../oauth.fixture.ts';
import { idTokenSeconds, keysCachedSeconds } from './signing-keys.ts';

let t: OAuthTest;
let root: Member;
beforeAll(async () => {
  t = await openOAuthTest({ env: { OPENID_CONNECT: '1' } });
  root = await t.root();
});
afterAll(() => t.close());

const published = async (): Promise<JWK[]> => (await jsonOf(t.call('/api/oauth2/jwks'))).keys;
const kids = async (alg: string): Promise<string[]> =>
  (await published()).filter((key) => key.alg === alg).map((key) => key.kid!);
const rotate = (body: unknown = {}) => root.call('/api/oauth2/admin/signing-keys/rotate', { method: 'POST', body });

test('without OpenID Connect there is no key set and no rotation', async () => {
  const off = await openOAuthTest();
  const asNowhere = async (path: string, init = {}) => {
    const admin = await off.root();
    const [answer, nowhere] = await Promise.all([admin.call(path, init), admin.call('/api/oauth2/nowhere', init)]);
    expect(answer.status).toBe(nowhere.status);
    expect(await answer.text()).toBe((await nowhere.text()).replaceAll('/api/oauth2/nowhere', path));
  };
  await asNowhere('/api/oauth2/jwks');
  await asNowhere('/api/oauth2/jwks', { method: 'POST', body: {} });
  await asNowhere('/api/oauth2/admin/signing-keys');
  await asNowhere('/api/oauth2/admin/signing-keys/rotate', { method: 'POST', body: {} });
  await off.close();
});

test('the key set has one public key per algorithm, is cacheable and open to other origins', async () => {
  const answers = await Promise.all([1, 2, 3].map(() => t.call('/api/oauth2/jwks')));
  const [answer] = answers as [Response];
  expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  const lists = await Promise.all(answers.map((one) => one.json()));
  expect(new Set(lists.map((list) => JSON.stringify(list))).size).toBe(1);
  const keys = (lists[0] as { keys: JWK[] }).keys;
  expect(keys.map(({ alg }) => alg).sort()).toEqual(['ES256', 'RS256']);
  for (const key of keys) {
    expect(key.use).toBe('sig');
    for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi']) expect(key).not.toHaveProperty(secret);
  }
});

test('private keys are encrypted at rest', async () => {
  await published();
  const rows = await t.platform.database.db.selectFrom('oauth_signing_keys').selectAll().execute();
  expect(rows.length).toBeGreaterThan(0);
  for (const { private_jwk } of rows) expect(private_jwk).toStartWith('s1.');
});

test('a new key is published before it signs, and the old one until its last token has expired', async () => {
  const [old] = await kids('RS256');
  expect((await rotate()).status).toBe(200);
  const [next, ...before] = await kids('RS256');
  expect(before).toEqual([old!]);
  const { data } = await jsonOf(root.call('/api/oauth2/admin/signing-keys'));
  const stateOf = (kid: string) => data.find((key: { kid: string }) => key.kid === kid);
  expect(stateOf(next!)).toMatchObject({ retired_at: null });
  expect(stateOf(old!).retired_at).toBe(stateOf(next!).starts_at);
  expect(JSON.stringify(data)).not.toContain('private');
  t.clock.advance((keysCachedSeconds + idTokenSeconds) * 1000);
  expect(await kids('RS256')).toEqual([next!, old!]);
  t.clock.advance((keysCachedSeconds + 1) * 1000);
  expect(await kids('RS256')).toEqual([next!]);
});

test('a leaked key is removed immediately', async () => {
  const old = await kids('ES256');
  expect((await rotate({ at_once: true })).status).toBe(200);
  const now = await kids('ES256');
  expect(now).toHaveLength(1);
  expect(old).not.toContain(now[0]!);
});

test('only administrators see or rotate keys, and rotations are logged', async () => {
  expect((await t.member.call('/api/oauth2/admin/signing-keys')).status).toBe(403);
  const mine = await t.member.call('/api/oauth2/admin/signing-keys/rotate', { method: 'POST', body: {} });
  expect(mine.status).toBe(403);
  expect((await rotate({ immediately: true })).status).toBe(400);
  const { data } = await jsonOf(root.call('/api/admin/audit?action=signing_keys_rotated'));
  expect(data.logs.map((entry: { after: unknown }) => entry.after)).toContainEqual({ at_once: true });
});

test('keys are rotated by age', async () => {
  const old = await kids('RS256');
  t.clock.advance(91 * 86_400_000);
  t.app.app.sweep();
  await until('there is a new key', async () => (await kids('RS256')).length === 2);
  expect(await kids('RS256')).toEqual([expect.any(String), old[0]!]);
});
