import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { manualClock } from '../lib/clock.ts';
import { until } from '../lib/until.fixture.ts';
import { openShared } from '../platform/shared/open.ts';
import { type RedisServer, startRedis } from '../platform/shared/redis-server.fixture.ts';
import { openBreaker } from './breaker.ts';

const key = 'p1|acme/large|1';
let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

test('a circuit opened by one process blocks another, and its recovery there closes it here', async () => {
  const clock = manualClock(Date.now());
  const shared = await openShared({ redisUrl: redis.url, prefix: 'breaker-test:' }, clock);
  const breaker = await openBreaker({ clock, shared, knownKeys: async () => [key] });
  const peer = Bun.spawn([process.execPath, join(import.meta.dir, 'breaker-peer.fixture.ts'), redis.url, key], {
    stdin: 'pipe',
    stdout: 'pipe',
  });
  let told = '';
  const listening = (async () => {
    for await (const chunk of peer.stdout) told += new TextDecoder().decode(chunk);
  })();

  await until('open here', () => breaker.state(key) === 'open');
  expect(breaker.tryAcquire(key)).toBeNull();

  const late = await openBreaker({ clock, shared });
  await late.reread([key]);
  expect(late.state(key)).toBe('open');

  clock.advance(120_000);
  for (let i = 0; i < 3; i++) breaker.tryAcquire(key)!.success();
  expect(breaker.state(key)).toBe('closed');
  await until('closed there', () => told.includes(`${key} closed`));
  expect(told.trim().split('\n')).toEqual([`${key} open`, `${key} closed`]);

  peer.stdin.end();
  await listening;
  expect(await peer.exited).toBe(0);
  await Promise.all([late.close(), breaker.close()]);
  await shared.close();
});

test('without Redis circuits work locally, and their state is published when it is back', async () => {
  const clock = manualClock(Date.now());
  const open = async () => {
    const shared = await openShared({ redisUrl: redis.url, prefix: 'away-test:' }, clock);
    return { shared, breaker: await openBreaker({ clock, shared, knownKeys: async () => [key] }) };
  };
  const [a, b] = [await open(), await open()];
  await redis.stop();
  await until('noticed', () => !a.shared.healthy() && !b.shared.healthy());
  for (let i = 0; i < 5; i++) a.breaker.tryAcquire(key)!.failure();
  expect(a.breaker.state(key)).toBe('open');
  expect(b.breaker.state(key)).toBe('closed');
  await redis.start();
  await until('told', () => b.breaker.state(key) === 'open');
  for (const { breaker, shared } of [a, b]) {
    await breaker.close();
    await shared.close();
  }
});
