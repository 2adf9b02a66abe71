import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../lib/until.fixture.ts';
import { openPayingTest, type PayingTest } from './paying.fixture.ts';

/** Every process hears of what ends tokens that pay, and looks through what it keeps; of others, none keeps anything. */
let t: PayingTest;
const told: string[] = [];
let unsubscribe: () => Promise<void>;
beforeAll(async () => {
  t = await openPayingTest();
  unsubscribe = await t.platform.shared.subscribe(
    'identity',
    (tag) => told.push(tag),
    () => {},
  );
});
afterAll(async () => {
  await unsubscribe();
  await t.close();
});

test('processes are notified only about tokens that can pay', async () => {
  const client = await t.payingClient();
  const grants = `grants:${t.member.id}`;
  const acts: ((tokens: { access_token: string; refresh_token: string }) => Promise<Response>)[] = [
    ({ access_token }) => t.post('/api/oauth2/revoke', { token: access_token }),
    ({ refresh_token }) => t.post('/api/oauth2/revoke', { token: refresh_token }),
    ({ refresh_token }) => t.refresh(client, refresh_token),
  ];
  await t.mayPay(client, 100);
  for (const [n, act] of acts.entries()) {
    const [plain, paying] = [
      await t.tokens(client, { scope: 'openid' }),
      await t.tokens(client, { scope: 'openid models:use' }),
    ];
    expect(await toldOf(`plain ${n}`, () => act(plain))).not.toContain(grants);
    expect(await toldOf(`paying ${n}`, () => act(paying))).toContain(grants);
  }
});

/** What is said until the act is done; whatever was said before the last word has been heard by then. */
async function toldOf(lastWord: string, act: () => Promise<Response>): Promise<string[]> {
  told.length = 0;
  expect((await act()).status).toBe(200);
  await t.platform.shared.publish('identity', lastWord);
  await until('the last word is heard', () => told.includes(lastWord));
  return [...told];
}
