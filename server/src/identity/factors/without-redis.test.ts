import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openTestApp, type TestApp } from '../../app.fixture.ts';
import { manualClock } from '../../lib/clock.ts';
import { until } from '../../lib/until.fixture.ts';
import { type RedisServer, startRedis } from '../../platform/shared/redis-server.fixture.ts';
import { codeAt, enrol, halfOf, password, post, secondStep } from './factors.fixture.ts';

/* While Redis is away each process counts wrong passwords and codes for itself: people can log in, and nobody can guess. */

let redis: RedisServer;
let t: TestApp;
const clock = manualClock();

beforeAll(async () => {
  redis = await startRedis();
  t = await openTestApp({ clock, env: { REDIS_URL: redis.url } });
});
afterAll(async () => {
  await t.close();
  await redis.stop();
});

test('a second factor is accepted, and guesses of passwords and codes are limited', async () => {
  const [careful, guessed] = [await t.user(), await t.user()];
  const { secret } = await enrol(t, careful);
  await redis.stop();
  await until('its absence is noticed', () => !t.platform.shared.healthy());

  const half = await halfOf(t, careful.username);
  clock.advance(30_000);
  expect((await secondStep(t, half, codeAt(secret, clock.nowMs()))).status).toBe(200);

  const codes: number[] = [];
  const again = await halfOf(t, careful.username);
  for (let i = 0; i < 12; i++) codes.push((await secondStep(t, again, '000000')).status);
  expect(codes.slice(-2)).toEqual([429, 429]);

  const tries: number[] = [];
  for (let i = 0; i < 12; i++)
    tries.push((await post(t, '/api/user/login', { username: guessed.username, password: `wrong ${i}` })).status);
  expect(tries.slice(0, 10)).not.toContain(429);
  expect(tries.slice(-2)).toEqual([429, 429]);
  expect((await post(t, '/api/user/login', { username: guessed.username, password })).status).toBe(429);
});
