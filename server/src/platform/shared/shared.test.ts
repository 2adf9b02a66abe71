import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { manualClock } from '../../lib/clock.ts';
import { holdTime, untilHeld } from '../../lib/held-time.fixture.ts';
import { openShared } from './open.ts';
import type { Shared } from './port.ts';
import { type RedisServer, startRedis } from './redis-server.fixture.ts';

/** What both implementations guarantee. */
describe.each(['memory', 'redis'] as const)('shared state in %s', (kind) => {
  let server: RedisServer | undefined;
  let shared: Shared;
  const clock = manualClock();
  /** Advances the expiry of what is stored. */
  const pass = async (ms: number) => (server ? await server.pass(ms) : clock.advance(ms));

  beforeAll(async () => {
    server = kind === 'redis' ? await startRedis() : undefined;
    shared = await openShared({ redisUrl: server?.url, prefix: 'test:' }, clock);
  });
  // Keeps commands from timing out, which is the subject of another test.
  holdTime();
  afterAll(async () => {
    await shared.close();
    await server?.stop();
  });

  test('reports its kind and health, and responds to a ping', async () => {
    expect(shared.kind).toBe(kind);
    expect(shared.healthy()).toBe(true);
    await shared.ping();
  });

  test('counts calls in a window and restarts after it', async () => {
    const states = [];
    for (let i = 0; i < 3; i++) states.push(await shared.hit('a', 2, 60_000));
    expect(states.map((state) => state.allowed)).toEqual([true, true, false]);
    expect(states.map((state) => state.remaining)).toEqual([1, 0, 0]);
    expect(states[2]!.limit).toBe(2);
    expect(states[2]!.resetMs).toBeGreaterThan(0);
    expect(states[2]!.resetMs).toBeLessThanOrEqual(60_000);
    expect((await shared.hit('b', 2, 60_000)).remaining).toBe(1);
    await pass(60_000);
    expect((await shared.hit('a', 2, 60_000)).remaining).toBe(1);
  });

  test('never allows more than the limit with concurrent calls', async () => {
    const states = await Promise.all(Array.from({ length: 50 }, async () => shared.hit('burst', 10, 60_000)));
    expect(states.filter((state) => state.allowed)).toHaveLength(10);
  });

  test('keeps values until they expire', async () => {
    expect(await shared.get('v')).toBeNull();
    await shared.set('v', 'one', 10_000);
    expect(await shared.get('v')).toBe('one');
    await shared.delete('v');
    expect(await shared.get('v')).toBeNull();
    await shared.set('short', 'x', 100_000);
    await pass(40_000);
    expect(await shared.get('short')).toBe('x');
    await pass(60_000);
    expect(await shared.get('short')).toBeNull();
  });

  test('counters expire from their first use', async () => {
    expect(await shared.increment('n', 2, 100_000)).toBe(2);
    await pass(40_000);
    expect(await shared.increment('n', -5, 1_000_000)).toBe(-3);
    expect(await shared.get('n')).toBe('-3');
    await pass(60_000);
    expect(await shared.increment('n', 1, 100_000)).toBe(1);
  });

  test('messages reach every subscriber of the channel, and no others', async () => {
    const seen: string[] = [];
    const subscribe = (channel: string, name: string) =>
      shared.subscribe(channel, (message) => seen.push(`${name}:${message}`));
    /** Messages arrive in order: once this one is received, all earlier ones are. */
    const heard = async () => {
      const name = `marker ${seen.length}`;
      const stop = await subscribe('marker', 'marker');
      await shared.publish('marker', name);
      await untilHeld('the marker came', () => seen.at(-1) === `marker:${name}`);
      await stop();
      return seen.splice(0).slice(0, -1).sort();
    };
    const stopA = await subscribe('news', 'a');
    const stopB = await subscribe('news', 'b');
    const stopC = await subscribe('other', 'c');
    await shared.publish('news', '1');
    expect(await heard()).toEqual(['a:1', 'b:1']);
    await stopA();
    await shared.publish('news', '2');
    expect(await heard()).toEqual(['b:2']);
    await Promise.all([stopB(), stopC()]);
    const again = await subscribe('news', 'd');
    await shared.publish('news', '3');
    expect(await heard()).toEqual(['d:3']);
    await again();
  });
});
