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

const slowly: Record<string, [method: string, path: string, body: object]> = {
  'makes an API key': ['POST', '/api/oauth2/tokens', { name: 'lasting' }],
  'changes the profile': ['PATCH', '/api/oauth2/userinfo', { display_name: 'Mallory' }],
};
const alsoEnds: typeof ends = {
  ...ends,
  'its scopes are withdrawn': {
    end: (_user, { id }) =>
      t.owner.call(`/api/oauth2/applications/${id}`, { method: 'PUT', body: { scopes: 'openid' } }),
  },
};
const cases = Object.keys(slowly).flatMap((act) =>
  Object.entries(alsoEnds).map(([name, end]) => [act, name, end] as const),
);

test.each(cases)(
  'an application that %s, and sends its request to the end after %s, does not',
  async (act, _, { end }) => {
    const [method, path, body] = slowly[act]!;
    const user = await t.user();
    const client = await t.client({ scopes: 'openid profile tokens:write' });
    const { access_token } = await t.tokens(client, { scope: 'openid profile tokens:write' }, user);
    const [reading, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const stream = new ReadableStream({
      pull: async (controller) => {
        reading.resolve();
        await go.promise;
        controller.enqueue(Buffer.from(JSON.stringify(body)));
        controller.close();
      },
    });
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
    const init = { method, headers, body: stream, duplex: 'half' };
    const answer = t.app.app.fetch(new Request(`http://localhost${path}`, init as RequestInit));
    await reading.promise;
    await end(user, client);
    go.resolve();
    expect((await answer).status).toBeOneOf([401, 403]);
    const { db } = t.platform.database;
    expect(await db.selectFrom('api_keys').select('id').where('name', '=', 'lasting').execute()).toEqual([]);
    expect(await db.selectFrom('users').select('id').where('display_name', '=', 'Mallory').execute()).toEqual([]);
  },
);

test('no API key that an application makes outlives the consent that is revoked with its keys', async () => {
  const { db } = t.platform.database;
  for (let round = 0; round < 12; round += 1) {
    const user = await t.user();
    const client = await t.client({ scopes: 'openid tokens:write' });
    const { access_token } = await t.tokens(client, { scope: 'openid tokens:write' }, user);
    const make = () => t.withBearer('/api/oauth2/tokens', access_token, { method: 'POST', body: { name: 'a' } });
    const making = Array.from({ length: 20 }, async (_, n) => {
      for (let turn = 0; turn < n * 4; turn += 1) await new Promise(setImmediate);
      await make();
    });
    for (let turn = 0; turn < round * 3; turn += 1) await new Promise(setImmediate);
    expect((await user.call(`/api/oauth2/consents/${client.id}?keys=delete`, { method: 'DELETE' })).status).toBe(200);
    await Promise.all(making);
    expect(await db.selectFrom('api_keys').select('id').where('made_by', '=', client.id).execute()).toEqual([]);
  }
});
