import { afterAll, beforeAll, expect, test } from 'bun:test';
import { faultOf, jsonOf, type OAuthTest, openOAuthTest } from './oauth.fixture.ts';

let t: OAuthTest;
beforeAll(async () => {
  t = await openOAuthTest();
});
afterAll(() => t.close());

/** With an Idempotency-Key as simple as those of many programs. */
const make = ({ access_token }: { access_token: string }, body: object = { name: 'agent' }) =>
  t.call('/api/oauth2/tokens', {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}`, 'idempotency-key': '1' },
    body,
  });

test('the first answer is repeated to the application that got it, and only while it may ask', async () => {
  const [first, second] = [await t.client(), await t.client()];
  const may = { scope: 'tokens:write' };
  const [own, others] = [await t.tokens(first, may), await t.tokens(second, may)];
  const made = await jsonOf(make(own));
  const again = await make(own);
  expect([again.headers.get('idempotency-replayed'), await again.json()]).toEqual(['true', made]);
  expect((await make(own, { name: 'another' })).status).toBe(409);
  for (const client of [first, second])
    expect(await faultOf(make(await t.tokens(client, { scope: 'profile' })))).toEqual([403, 'insufficient_scope']);
  const theirs = await make(others);
  expect([theirs.status, theirs.headers.get('idempotency-replayed')]).toEqual([200, null]);
  expect((await jsonOf(theirs)).data.key).not.toBe(made.data.key);
  expect((await jsonOf(t.member.call('/api/tokens'))).data).toHaveLength(2);
});
