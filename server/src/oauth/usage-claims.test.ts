import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../lib/until.fixture.ts';
import { jsonOf } from './oauth.fixture.ts';
import { answerOfOne, costOfOne, openPayingTest, type PayingTest } from './paying.fixture.ts';

let t: PayingTest;
beforeAll(async () => {
  t = await openPayingTest();
});
afterAll(() => t.close());

const amounts = ({ quota, used_quota, request_count }: Record<string, unknown>) => ({
  quota,
  used_quota,
  request_count,
});
const shown = async () => amounts((await jsonOf(t.member.call('/api/user/self'))).data);

test('usage:read tells the same as the account page, with every request, also of one that is running', async () => {
  const { access_token } = await t.tokens(await t.client(), { scope: 'usage:read profile' });
  const told = async () => amounts(await jsonOf(t.userinfo(access_token)));
  const patched = async () =>
    amounts(
      await jsonOf(t.withBearer('/api/oauth2/userinfo', access_token, { method: 'PATCH', body: { avatar_url: '' } })),
    );
  const key = await t.member.key();
  for (const count of [0, 1, 2]) {
    const now = { quota: 1_000_000 - count * costOfOne, used_quota: count * costOfOne, request_count: count };
    expect([await shown(), await told(), await patched()]).toEqual([now, now, now]);
    expect((await t.ask(key)).status).toBe(200);
  }
  const held = Promise.withResolvers<Response>();
  t.upstream.answer(() => held.promise);
  const running = t.ask(key);
  await until('the request is held for', async () => Number((await shown()).quota) < 1_000_000 - 3 * costOfOne);
  const meanwhile = await shown();
  expect([await told(), await patched()]).toEqual([meanwhile, meanwhile]);
  held.resolve(answerOfOne());
  expect((await running).status).toBe(200);
});
