import { afterAll, beforeAll, expect, test } from 'bun:test';
import { RedisClient } from 'bun';
import { systemClock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { until } from '../../lib/until.fixture.ts';
import { openShared } from './open.ts';
import type { Shared } from './port.ts';
import { type RedisServer, startRedis } from './redis-server.fixture.ts';

let server: RedisServer;
let one: Shared;
let other: Shared;

beforeAll(async () => {
  server = await startRedis();
  [one, other] = await Promise.all([
    openShared({ redisUrl: server.url }, systemClock),
    openShared({ redisUrl: server.url }, systemClock),
  ]);
});
afterAll(async () => {
  await one.close();
  await other.close();
  await server.stop();
});

test('two processes share counts and messages; another prefix shares nothing', async () => {
  const stranger = await openShared({ redisUrl: server.url, prefix: 'else:' }, systemClock);
  await one.hit('k', 5, 60_000);
  expect((await other.hit('k', 5, 60_000)).remaining).toBe(3);
  expect((await stranger.hit('k', 5, 60_000)).remaining).toBe(4);
  const seen: string[] = [];
  const stop = await other.subscribe('c', (message) => seen.push(message));
  await one.publish('c', 'hello');
  await stranger.publish('c', 'unheard');
  await until('it is heard', () => seen.length > 0);
  expect(seen).toEqual(['hello']);
  await stop();
  await stranger.close();
});

test('counts of one tick are sent in one message, each with its own result', async () => {
  const client = new RedisClient(server.url);
  const messages = async () =>
    Number(/cmdstat_evalsha:calls=(\d+)/.exec(`${await client.send('INFO', ['commandstats'])}`)?.[1] ?? 0);
  await one.hit('together', 500, 60_000);
  const before = await messages();
  const keys = Array.from({ length: 400 }, (_, i) => (i < 150 ? 'together' : `apart-${i}`));
  const states = await Promise.all(keys.map(async (key) => one.hit(key, 500, 60_000)));
  expect((await messages()) - before).toBe(2);
  expect(states.map(({ remaining }) => remaining)).toEqual(keys.map((_, i) => (i < 150 ? 498 - i : 499)));
  client.close();
});

test('during a Redis outage limits are local, and afterwards everything works again', async () => {
  const seen: string[] = [];
  let gaps = 0;
  const stop = await other.subscribe(
    'c',
    (message) => seen.push(message),
    () => {
      gaps += 1;
    },
  );
  await server.stop();
  await until('both have noticed', () => !one.healthy() && !other.healthy());

  const states = [];
  for (let i = 0; i < 3; i++) states.push(await one.hit('away', 2, 60_000));
  expect(states.map((state) => state.allowed)).toEqual([true, true, false]);
  expect([await one.increment('tries', 1, 60_000), await one.increment('tries', 2, 60_000)]).toEqual([1, 3]);
  await one.delete('tries').catch(() => {});
  expect(await one.increment('tries', 1, 60_000)).toBe(1);
  const refused = await one.get('x').catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(AppError);
  expect((refused as AppError).status).toBe(503);
  expect(one.ping()).rejects.toBeInstanceOf(AppError);
  const late: string[] = [];
  const stopLate = await one.subscribe('late', (message) => late.push(message));
  await one.publish('c', 'kept');

  await server.start();
  await until('both are connected again', () => one.healthy() && other.healthy());
  await until('the gap is told', () => gaps > 0);
  await one.publish('c', 'after');
  await other.publish('late', 'heard');
  await until('both are heard', () => seen.includes('after') && late.length > 0);
  expect(late).toEqual(['heard']);
  expect((await one.hit('away', 2, 60_000)).remaining).toBe(1);
  await stop();
  await stopLate();
});

test('a frozen Redis delays no one, and is used again when it responds', async () => {
  process.kill(server.pid(), 'SIGSTOP');
  // All of them resolve while Redis is frozen: nothing resumes it before.
  const states = await Promise.all(Array.from({ length: 20 }, async () => one.hit('frozen', 5, 60_000)));
  process.kill(server.pid(), 'SIGCONT');
  expect(states.filter((state) => state.allowed)).toHaveLength(5);
  await until('it is connected again', () => one.healthy() && other.healthy());
  await one.set('thawed', 'yes', 60_000);
  expect(await other.get('thawed')).toBe('yes');
});

test('an unreachable address is reported without the password', async () => {
  const port = new URL(server.url).port;
  await server.stop();
  const open = openShared({ redisUrl: `redis://user:hunter2@127.0.0.1:${port}` }, systemClock);
  const error = await open.catch((reason: unknown) => reason);
  expect(String(error)).toContain(`127.0.0.1:${port}`);
  expect(String(error)).not.toContain('hunter2');
  await server.start();
});
