import { expect, test } from 'bun:test';
import { manualClock } from '../../lib/clock.ts';
import { memoryShared } from './memory.ts';

test('holds at most its maximum of keys, and evicts the oldest', async () => {
  const shared = memoryShared(manualClock(), 3);
  for (const key of ['a', 'b', 'c', 'd']) await shared.set(key, key, 1_000);
  expect(shared.size()).toBe(3);
  expect(await shared.get('a')).toBeNull();
  expect(await shared.get('d')).toBe('d');
  await shared.close();
});

test('a window follows the given clock', () => {
  const clock = manualClock();
  const shared = memoryShared(clock);
  expect(shared.hit('k', 1, 60_000)).toEqual({ allowed: true, limit: 1, remaining: 0, resetMs: 60_000 });
  clock.advance(20_000);
  expect(shared.hit('k', 1, 60_000)).toEqual({ allowed: false, limit: 1, remaining: 0, resetMs: 40_000 });
  clock.advance(40_000);
  expect(shared.hit('k', 1, 60_000).allowed).toBe(true);
});

test('every subscription receives a message once', async () => {
  const shared = memoryShared(manualClock());
  const seen: string[] = [];
  await shared.subscribe('c', (message) => seen.push(message));
  await shared.subscribe('c', (message) => seen.push(message));
  await shared.publish('c', 'x');
  await Bun.sleep(1);
  expect(seen).toEqual(['x', 'x']);
});
