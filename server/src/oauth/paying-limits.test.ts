import { afterAll, beforeAll, expect, test } from 'bun:test';
import { answerOfOne, costOfOne, film, oneUnit, openPayingTest, type PayingTest, refusalOf } from './paying.fixture.ts';

/**
 * What users let applications spend holds to the last unit, and as long as they let them, where a request costs no more than was
 * put aside for it. The last test is about those that do.
 */
let t: PayingTest;
beforeAll(async () => {
  t = await openPayingTest();
});
afterAll(() => t.close());

const rich = 10_000;
const gone: [number, unknown] = [401, 'invalid_api_key'];
const short: [number, unknown] = [403, 'insufficient_key_quota'];

/** How many of so many at once were answered; all others were told that the limit is reached. */
async function answeredOf(count: number, tokens: string[], body: Record<string, unknown> = {}): Promise<number> {
  const asked = Array.from({ length: count }, (_, n) => t.ask(tokens[n % tokens.length]!, body));
  const answers = await Promise.all(asked);
  for (const answer of answers) if (answer.status !== 200) expect(await refusalOf(answer)).toEqual(short);
  return answers.filter(({ status }) => status === 200).length;
}

test('80 concurrent requests spend no more than the limit', async () => {
  const client = await t.payingClient({ name: 'Eighty' });
  const limit = 100;
  const { access_token } = await t.mayPay(client, limit);
  const answered = await answeredOf(80, [access_token]);
  expect(answered).toBeGreaterThan(0);
  expect(answered).toBeLessThan(80);
  const { spent } = await t.consentOf(client);
  expect(spent).toBe(answered * costOfOne);
  expect(spent).toBeLessThanOrEqual(limit);
});

test('a change of the limit gives away nothing of what a video holds', async () => {
  const client = await t.payingClient();
  const limit = 6;
  const { access_token } = await t.mayPay(client, limit);
  const body = { model: film, prompt: 'a storm', duration: 4 };
  const made = await t.withBearer('/v1/videos', access_token, { method: 'POST', body });
  expect(made.status).toBe(202);
  for (const other of [limit + 1, limit]) expect((await t.setLimit(client, other)).status).toBe(200);
  expect(await answeredOf(10, [access_token], { model: oneUnit })).toBe(2);
});

test('of 80 concurrent requests for the last unit, with two tokens, one gets it', async () => {
  const client = await t.payingClient();
  const limit = 11;
  const tokens = [(await t.mayPay(client, limit)).access_token, (await t.mayPay(client, limit)).access_token];
  expect(await answeredOf(limit - 1, tokens, { model: oneUnit })).toBe(limit - 1);
  const [{ spent }, before] = [await t.consentOf(client), t.upstream.seen.length];
  expect(spent).toBe(limit - 1);
  expect(await answeredOf(80, tokens, { model: oneUnit })).toBe(1);
  // Whoever is refused has not reached a model either.
  expect(t.upstream.seen.length - before).toBe(1);
  expect((await t.consentOf(client)).spent).toBe(limit);
  // One more is given while they ask.
  const [, answered] = await Promise.all([t.setLimit(client, limit + 1), answeredOf(80, tokens, { model: oneUnit })]);
  const late = await answeredOf(20, tokens, { model: oneUnit });
  expect(answered + late).toBe(1);
  expect((await t.consentOf(client)).spent).toBe(limit + 1);
});

test('no request is answered after the consent was revoked under load', async () => {
  const client = await t.payingClient();
  const { access_token } = await t.mayPay(client, rich);
  expect((await t.ask(access_token)).status).toBe(200);
  const early = Array.from({ length: 20 }, () => t.ask(access_token));
  const revoked = t.member.call(`/api/oauth2/consents/${client.id}`, { method: 'DELETE' });
  const between = Array.from({ length: 20 }, () => t.ask(access_token));
  expect((await revoked).status).toBe(200);
  const after = Array.from({ length: 20 }, () => t.ask(access_token));
  for (const answer of await Promise.all([...early, ...between])) expect([200, 401]).toContain(answer.status);
  for (const answer of after) expect(await refusalOf(answer)).toEqual(gone);
  const reached = t.upstream.seen.length;
  expect(await refusalOf(t.ask(access_token))).toEqual(gone);
  expect(t.upstream.seen.length).toBe(reached);
});

test('each month has its own limit, from its first moment', async () => {
  await t.setOption('OAuth2AccessTokenTTL', 100 * 86_400);
  const client = await t.payingClient();
  const limit = 3;
  const { access_token } = await t.mayPay(client, limit, { spending_window: 'month' });
  const spend = () => answeredOf(limit + 2, [access_token], { model: oneUnit });
  const began = new Date(t.clock.nowMs());
  const nextMonthMs = Date.UTC(began.getUTCFullYear(), began.getUTCMonth() + 1);
  expect(await spend()).toBe(limit);
  t.clock.jump(nextMonthMs - 1 - t.clock.nowMs());
  expect(await spend()).toBe(0);
  t.clock.jump(1);
  expect(await t.consentOf(client)).toMatchObject({ spending_limit: limit, spent: 0 });
  expect(await spend()).toBe(limit);
  expect(await t.consentOf(client)).toMatchObject({ spending_window: 'month', spent: limit });
  // A clock that is set back finds what was spent then.
  t.clock.jump(-1);
  expect(await spend()).toBe(0);
  t.clock.jump(began.getTime() - t.clock.nowMs());
  await t.setOption('OAuth2AccessTokenTTL', 3600);
});

test('a request across a month boundary is charged to the month it began in', async () => {
  await t.setOption('OAuth2AccessTokenTTL', 100 * 86_400);
  const client = await t.payingClient();
  const { access_token } = await t.mayPay(client, rich, { spending_window: 'month' });
  expect((await t.ask(access_token)).status).toBe(200);
  const began = t.clock.nowMs();
  const arrived = t.upstream.next();
  const goOn = Promise.withResolvers<void>();
  t.upstream.answer(() => goOn.promise.then(answerOfOne));
  const running = t.ask(access_token);
  await arrived;
  t.clock.jump(32 * 86_400_000);
  goOn.resolve();
  expect((await running).status).toBe(200);
  t.upstream.answer(answerOfOne);
  expect((await t.consentOf(client)).spent).toBe(0);
  t.clock.jump(began - t.clock.nowMs());
  expect((await t.consentOf(client)).spent).toBe(2 * costOfOne);
  await t.setOption('OAuth2AccessTokenTTL', 3600);
});

test('a request that costs more than its hold is charged in full, as with a key, and no other starts after it', async () => {
  const client = await t.payingClient();
  const limit = 100;
  const { access_token } = await t.mayPay(client, limit);
  const usage = { prompt_tokens: 3, completion_tokens: 500, total_tokens: 503 };
  t.upstream.answer(async () => Response.json({ ...(await answerOfOne().json()), usage }));
  expect((await t.ask(access_token)).status).toBe(200);
  t.upstream.answer(answerOfOne);
  expect((await t.consentOf(client)).spent).toBe(503);
  const reached = t.upstream.seen.length;
  expect(await answeredOf(20, [access_token], { model: oneUnit })).toBe(0);
  expect(t.upstream.seen.length).toBe(reached);
  // What is beyond counts: a higher limit has to cover it first.
  await t.setLimit(client, 503);
  expect(await answeredOf(20, [access_token], { model: oneUnit })).toBe(0);
  await t.setLimit(client, 504);
  expect(await answeredOf(20, [access_token], { model: oneUnit })).toBe(1);
});
