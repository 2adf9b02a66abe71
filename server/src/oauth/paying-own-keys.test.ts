import { afterAll, beforeAll, expect, test } from 'bun:test';
import { addUpstream, scriptedUpstream } from '../relay/scripted-upstream.fixture.ts';
import { answerOfOne, costOfOne, openPayingTest, type PayingTest } from './paying.fixture.ts';

/* What an application may spend has a limit, and a user's own key at a provider has none: it is not the application's. */

const own = 'sk-the-users-very-own-9876';
const upstream = scriptedUpstream(answerOfOne);
let t: PayingTest;

beforeAll(async () => {
  t = await openPayingTest();
  await t.setOption('RateLimitEnabled', false);
  await t.setOption('OwnKeys', true);
  const models = [{ model_id: 'acme/m', prompt_price: 2, completion_price: 2 }];
  await addUpstream(t.app, upstream.url, models, { credential: 'sk-operators', provider: 'acme' });
  const body = { provider: 'acme', name: 'Mine', credential: own };
  expect((await t.member.call('/api/routing/own-keys', { method: 'POST', body })).status).toBe(201);
});
afterAll(async () => {
  await upstream.close();
  await t.close();
});

const seen = () => upstream.seen.splice(0).map(({ headers }) => headers.get('authorization'));

test("an application spends up to its limit, and nothing with the user's own keys", async () => {
  const client = await t.payingClient();
  const { access_token } = await t.mayPay(client, 1_000);
  for (const stream of [false, true]) {
    const answer = await t.ask(access_token, { model: 'acme/m', stream });
    expect(answer.status).toBe(200);
    await answer.text();
  }
  expect(seen()).toEqual(['Bearer sk-operators', 'Bearer sk-operators']);
  expect((await t.consentOf(client)).spent).toBeGreaterThanOrEqual(costOfOne);

  const mine = { authorization: `Bearer ${await t.member.key()}` };
  const messages = [{ role: 'user', content: 'hi' }];
  const asked = { method: 'POST', headers: mine, body: { model: 'acme/m', max_tokens: 9, messages } };
  expect((await t.call('/v1/chat/completions', asked)).status).toBe(200);
  expect(seen()).toEqual([`Bearer ${own}`]);
});
