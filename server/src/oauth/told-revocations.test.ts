import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import { jsonOf, type OAuthTest, openOAuthTest, type TestClient } from './oauth.fixture.ts';

/* Whoever asks why an application lost its access finds the reason in the audit log. */

let t: OAuthTest;
let root: Member;
beforeAll(async () => {
  t = await openOAuthTest();
  root = await t.root();
});
afterAll(() => t.close());

interface Granted {
  client: TestClient;
  owner: Member;
  user: Member;
  code: string;
  refreshed: string;
  access: string;
  refresh: string;
}

/** A code, exchanged and refreshed once. */
async function granted(): Promise<Granted> {
  const [owner, user] = [await t.user(), await t.user()];
  const client = await t.client({}, owner);
  const code = await t.code(client, {}, user);
  const { refresh_token: refreshed } = await jsonOf(t.exchange(client, { code }));
  const { access_token: access, refresh_token: refresh } = await jsonOf(t.refresh(client, refreshed));
  return { client, owner, user, code, refreshed, access, refresh };
}

const disable = ({ id }: Member) => root.call(`/api/admin/users/${id}`, { method: 'PUT', body: { status: 2 } });
const ends: [what: string, end: (of: Granted) => Promise<unknown>, told: [action: string, metadata: object]][] = [
  [
    'its revocation',
    ({ access }) => t.post('/api/oauth2/revoke', { token: access }),
    ['token_revoked', { token_type: 'access_token' }],
  ],
  [
    'the revocation of its refresh token',
    ({ refresh }) => t.post('/api/oauth2/revoke', { token: refresh }),
    ['token_revoked', { token_type: 'refresh_token' }],
  ],
  [
    'a second use of its code',
    ({ client, code }) => t.exchange(client, { code }),
    ['token_revoked', { token_type: 'refresh_token', reason: 'code_reused' }],
  ],
  [
    'a second use of an earlier refresh token',
    async ({ client, refreshed }) => {
      t.clock.advance(11_000);
      await t.refresh(client, refreshed);
    },
    ['token_revoked', { token_type: 'refresh_token', reason: 'refresh_token_reused' }],
  ],
  [
    'the end of the consent',
    ({ client, user }) => user.call(`/api/oauth2/consents/${client.id}`, { method: 'DELETE' }),
    ['consent_revoked', {}],
  ],
  ['a suspension', ({ client }) => t.act('suspend', client.id), ['app_suspended', { admin_user_id: 1 }]],
  [
    'the end of the application',
    ({ client, owner }) => owner.call(`/api/oauth2/applications/${client.id}`, { method: 'DELETE' }),
    ['app_deleted', {}],
  ],
  ['its user being disabled', ({ user }) => disable(user), ['user_updated', {}]],
  ['its owner being disabled', ({ owner }) => disable(owner), ['user_updated', {}]],
  [
    'its user being deleted',
    ({ user }) => root.call(`/api/admin/users/${user.id}`, { method: 'DELETE' }),
    ['user_deleted', {}],
  ],
];

test.each(ends)('an access token that ends by %s leaves an entry', async (_, end, [action, metadata]) => {
  const of = await granted();
  expect((await t.userinfo(of.access)).status).toBe(200);
  const entries = async () => (await jsonOf(root.call('/api/admin/audit?page_size=100'))).data.logs;
  const last: number = (await entries())[0].id;
  await end(of);
  expect((await t.userinfo(of.access)).status).not.toBe(200);
  const since = (await entries()).filter((entry: { id: number }) => entry.id > last);
  expect(since).toContainEqual(expect.objectContaining({ action, metadata: expect.objectContaining(metadata) }));
  // What has ended already leaves no second one.
  if (action !== 'token_revoked') return;
  await end(of);
  expect((await entries())[0].id).toBe(since[0].id);
});
