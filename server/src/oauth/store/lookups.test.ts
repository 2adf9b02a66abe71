import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readToken } from '../credentials.ts';
import { jsonOf, type OAuthTest, openOAuthTest, type Tokens } from '../oauth.fixture.ts';
import { openLookups } from './lookups.ts';

let t: OAuthTest;
beforeAll(async () => {
  t = await openOAuthTest();
});
afterAll(() => t.close());

test('who asks is read once, what is presented every time, and all anew after a change', async () => {
  const { database } = t.platform;
  const { readSync } = database;
  // On PostgreSQL it is all one statement, which other tests count.
  if (!readSync) return;
  const client = await t.client();
  const tokens = (await jsonOf(await t.exchange(client, { code: await t.code(client) }))) as unknown as Tokens;
  const asked: string[] = [];
  const lookups = openLookups({
    ...database,
    readSync: (sql, parameters) => {
      asked.push(/from (\w+)/.exec(sql)![1]!);
      return readSync(sql, parameters);
    },
  });
  const key = readToken(tokens.refresh_token);
  const look = async () => {
    asked.length = 0;
    const found = await lookups.clientWithToken(client.clientId, key);
    expect(found).toMatchObject({ client: { client_id: client.clientId }, user_status: 1, token: { revoked: 0 } });
    return [...asked];
  };
  expect(await look()).toEqual(['oauth_applications', 'oauth_tokens', 'users']);
  expect(await look()).toEqual(['oauth_tokens']);
  await database.db.updateTable('oauth_applications').set({ name: 'Another' }).where('id', '=', client.id).execute();
  expect(await look()).toEqual(['oauth_applications', 'oauth_tokens', 'users']);
  asked.length = 0;
  expect(await lookups.clientWithCode(client.clientId, 'no such code')).toMatchObject({
    code: null,
    user_status: null,
  });
  expect(await lookups.clientWithCode('svc_nobody', 'no such code')).toBeNull();
  expect(asked).toEqual(['oauth_codes', 'oauth_applications']);
});
