import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import { jsonOf, type OAuthTest, openOAuthTest, type TestClient, type Tokens } from './oauth.fixture.ts';

let t: OAuthTest;
let root: Member;
beforeAll(async () => {
  t = await openOAuthTest();
  root = await t.root();
});
afterAll(() => t.close());

/** Each takes away what the application was given; `again` opens the door anew, without giving anything back. */
const ends: Record<
  string,
  {
    end(user: Member, client: TestClient): Promise<unknown>;
    again?(user: Member, client: TestClient): Promise<unknown>;
  }
> = {
  'the consent is revoked': {
    end: (user, { id }) => user.call(`/api/oauth2/consents/${id}`, { method: 'DELETE' }),
  },
  'the application is suspended': {
    end: (_user, { id }) => t.act('suspend', id),
    again: (_user, { id }) => t.act('activate', id),
  },
  'the application is deleted': {
    end: (_user, { id }) => t.owner.call(`/api/oauth2/applications/${id}`, { method: 'DELETE' }),
  },
  'the user is disabled': {
    end: (user) => root.call(`/api/admin/users/${user.id}`, { method: 'PUT', body: { status: 2 } }),
  },
  'the user is deleted': {
    end: (user) => root.call(`/api/admin/users/${user.id}`, { method: 'DELETE' }),
  },
};

test.each(Object.entries(ends))('tokens issued while %s are not usable', async (_, { end, again }) => {
  const [user, client] = [await t.user(), await t.client()];
  const held = await t.tokens(client, {}, user);
  const refreshes = await Promise.all(Array.from({ length: 8 }, () => t.tokens(client, {}, user)));
  const codes = await Promise.all(Array.from({ length: 8 }, () => t.code(client, {}, user)));
  const spread = async (n: number) => {
    for (let turn = 0; turn < n; turn += 1) await new Promise(setImmediate);
  };
  const calls = [
    ...codes.map(async (code, n) => spread(n).then(() => t.exchange(client, { code }))),
    ...refreshes.map(async ({ refresh_token }, n) => spread(n).then(() => t.refresh(client, refresh_token))),
  ];
  const ended = spread(2).then(() => end(user, client));
  const answers = await Promise.all(calls);
  await ended;
  await again?.(user, client);
  const issued = await Promise.all(
    answers.filter(({ ok }) => ok).map(async (answer) => (await answer.json()) as Tokens),
  );
  for (const { access_token, refresh_token } of [held, ...refreshes, ...issued]) {
    expect((await t.userinfo(access_token)).status).not.toBe(200);
    expect((await t.refresh(client, refresh_token)).status).not.toBe(200);
  }
});

test('an approval concurrent with a revocation leaves a consent or an unusable code', async () => {
  const [user, client] = [await t.user(), await t.client()];
  for (let turn = 0; turn < 40; turn += 1) {
    await t.code(client, {}, user);
    const revoked = user.call(`/api/oauth2/consents/${client.id}`, { method: 'DELETE' });
    const codes = await Promise.all([t.code(client, {}, user), t.code(client, {}, user)]);
    await revoked;
    const { ok } = await t.exchange(client, { code: codes[turn % 2]! });
    if (!ok) continue;
    const { data } = await jsonOf(user.call('/api/oauth2/consents'));
    expect(data.consents).toHaveLength(1);
  }
});
