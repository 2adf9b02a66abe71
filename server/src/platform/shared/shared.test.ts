import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { systemClock } from '../../lib/clock.ts';
import { openShared } from './open.ts';
import type { Shared } from './port.ts';
import { type RedisServer, startRedis } from './redis-server.fixture.ts';

/** What both implementations promise; times are real, since Redis keeps its own. */
describe.each(['memory', 'redis'] as const)('shared state in %s', (kind) => {
  let server: RedisServer | undefined;
  let shared: Shared;

  beforeAll(async () => {
    server = kind === 'redis' ? await startRedis() : undefined;
    shared = await openShared({ redisUrl: server?.url, prefix: 'test:' }, systemClock);
  });
  afterAll(async () => {
    await shared.close();
    await server?.stop();
  });

  test('is of its kind, healthy and answers a ping', async () => {
    expect(shared.kind).toBe(kind);
    expect(shared.healthy()).toBe(true);
    await shared.ping();
  });

  test('counts calls in a window and starts anew after it', async () => {
    const states = [];
    for (let i = 0; i < 3; i++) states.push(await shared.hit('a', 2, 300));
    expect(states.map((state) => state.allowed)).toEqual([true, true, false]);
    expect(states.map((state) => state.remaining)).toEqual([1, 0, 0]);
    expect(states[2]!.limit).toBe(2);
    expect(states[2]!.resetMs).toBeGreaterThan(0);
    expect(states[2]!.resetMs).toBeLessThanOrEqual(300);
    expect((await shared.hit('b', 2, 300)).remaining).toBe(1);
    await Bun.sleep(320);
    expect((await shared.hit('a', 2, 300)).remaining).toBe(1);
  });

  test('never lets more than the limit through when calls come together', async () => {
    const states = await Promise.all(Array.from({ length: 50 }, async () => shared.hit('burst', 10, 60_000)));
    expect(states.filter((state) => state.allowed)).toHaveLength(10);
  });

  test('keeps values for their time', async () => {
    expect(await shared.get('v')).toBeNull();
    await shared.set('v', 'one', 10_000);
    expect(await shared.get('v')).toBe('one');
    await shared.delete('v');
    expect(await shared.get('v')).toBeNull();
    await shared.set('short', 'x', 30);
    await Bun.sleep(60);
    expect(await shared.get('short')).toBeNull();
  });

  test('counters live from their first use', async () => {
    expect(await shared.increment('n', 2, 150)).toBe(2);
    await Bun.sleep(80);
    expect(await shared.increment('n', -5, 10_000)).toBe(-3);
    expect(await shared.get('n')).toBe('-3');
    await Bun.sleep(120);
    expect(await shared.increment('n', 1, 150)).toBe(1);
  });

  test('a lock has one holder, who alone extends and releases it', async () => {
    const first = await shared.lock('l', 10_000);
    expect(first).not.toBeNull();
    expect(await shared.lock('l', 10_000)).toBeNull();
    expect(await first!.extend(40)).toBe(true);
    await Bun.sleep(70);
    const second = await shared.lock('l', 10_000);
    expect(second).not.toBeNull();
    expect(await first!.extend(10_000)).toBe(false);
    await first!.release();
    expect(await shared.lock('l', 10_000)).toBeNull();
    await second!.release();
    expect(await shared.lock('l', 1_000)).not.toBeNull();
  });

  test('messages reach every subscriber of the channel and nobody else', async () => {
    const seen: string[] = [];
    const stopA = await shared.subscribe('news', (message) => seen.push(`a:${message}`));
    const stopB = await shared.subscribe('news', (message) => seen.push(`b:${message}`));
    const stopC = await shared.subscribe('other', (message) => seen.push(`c:${message}`));
    await shared.publish('news', '1');
    await Bun.sleep(50);
    expect(seen.sort()).toEqual(['a:1', 'b:1']);
    await stopA();
    await shared.publish('news', '2');
    await Bun.sleep(50);
    expect(seen.slice(2)).toEqual(['b:2']);
    await Promise.all([stopB(), stopC()]);
    const again = await shared.subscribe('news', (message) => seen.push(`d:${message}`));
    await shared.publish('news', '3');
    await Bun.sleep(50);
    expect(seen.slice(3)).toEqual(['d:3']);
    await again();
  });
});
