import { afterAll, beforeAll, expect, test } from 'bun:test';
import { first } from '../../platform/db/statement.ts';
import { readToken } from '../credentials.ts';
import { jsonOf, type OAuthTest, openOAuthTest, type Tokens } from '../oauth.fixture.ts';
import { openLookups } from './lookups.ts';

let t: OAuthTest;
beforeAll(async () => {
  t = await openOAuthTest();
});
afterAll(() => t.close());

test('a client is read once, its token every time, and everything again after a change', async () => {
  const { db, engine } = t.platform.database;
  const client = await t.client();
  const tokens = (await jsonOf(await t.exchange(client, { code: await t.code(client) }))) as unknown as Tokens;
  const asked: string[] = [];
  const lookups = openLookups({
    read: (query, parameters) => {
      const outermost = query.sqlite.sql.replace(/\([^()]*\)/g, '');
      asked.push(/from (\w+)/.exec(outermost)![1]!);
      return first(db, query, parameters);
    },
    soleWriter: engine === 'sqlite',
  });
  const key = readToken(tokens.refresh_token);
  const look = async () => {
    asked.length = 0;
    const found = await lookups.clientWithToken(client.clientId, key);
    expect(found).toMatchObject({ client: { client_id: client.clientId }, user_status: 1, token: { revoked: 0 } });
    return [...asked];
  };
  // Where others write too, it is one statement every time.
  const known = (table: string) => [engine === 'sqlite' ? table : 'oauth_applications'];
  expect(await look()).toEqual(['oauth_applications']);
  expect(await look()).toEqual(known('oauth_tokens'));
  await db.updateTable('oauth_applications').set({ name: 'Another' }).where('id', '=', client.id).execute();
  lookups.forget();
  expect(await look()).toEqual(['oauth_applications']);
  asked.length = 0;
  expect(await lookups.clientWithCode(client.clientId, 'no such code')).toMatchObject({
    code: null,
    user_status: null,
  });
  expect(await lookups.clientWithCode('svc_nobody', 'no such code')).toBeNull();
  expect(asked).toEqual([...known('oauth_codes'), 'oauth_applications']);
});
