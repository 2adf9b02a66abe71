import { describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import type { OptionName, OptionOf } from '../../identity/option-table.ts';
import { manualClock } from '../../lib/clock.ts';
import { openSealer } from '../../lib/seal.ts';
import { openLog } from '../../platform/log.ts';
import { memoryShared } from '../../platform/shared/memory.ts';
import type { KeptAnswer } from './kept-answer.ts';
import { openAnswerCache } from './open.ts';

const words = 'what somebody was told';

function opened(kind: 'memory' | 'redis', mebibytes = 1) {
  const clock = manualClock();
  const memory = memoryShared(clock);
  const written = new Map<string, string>();
  const set: typeof memory.set = async (key, value, ttlMs) => {
    written.set(key, value);
    await memory.set(key, value, ttlMs);
  };
  const values: Partial<Record<OptionName, unknown>> = {
    ResponseCacheMebibytes: mebibytes,
    ResponseCacheAcrossUsers: false,
  };
  const cache = openAnswerCache({
    // The same as Redis, for what is asked of it here.
    shared: { ...memory, set, kind },
    sealer: openSealer({ keys: [{ id: 'k', key: randomBytes(32) }] }),
    clock,
    log: openLog('silent'),
    options: { get: <N extends OptionName>(name: N) => values[name] as OptionOf<N> },
  });
  const kept = (text = words): KeptAnswer => ({
    answer: { id: 'a', model: 'm', finish: 'stop', parts: [{ type: 'text', text }] },
    ...{ upstream: 'chat', provider: 'p', usage: { promptTokens: 1, completionTokens: 2 }, cost: 3 },
    at: Math.floor(clock.nowMs() / 1000),
  });
  const allow = (most: number) => {
    values.ResponseCacheMebibytes = most;
  };
  return { cache, clock, written, kept, allow };
}

describe.each(['memory', 'redis'] as const)('answers in %s', (kind) => {
  test('are found unchanged until they expire', async () => {
    const { cache, clock, kept } = opened(kind);
    const first = kept();
    cache.keep('n', 1, first, 60);
    expect(await cache.find('n', 60)).toEqual(first);
    expect(await cache.find('other', 60)).toBeNull();
    clock.advance(30_000);
    expect(await cache.find('n', 60)).toEqual(first);
    expect(await cache.find('n', 29)).toBeNull();
    clock.advance(30_001);
    expect(await cache.find('n', 1_000)).toBeNull();
  });

  test('are not stored if they are too long or the cache has no space', async () => {
    const long = opened(kind);
    long.cache.keep('n', 1, long.kept('x'.repeat(300_000)), 60);
    expect(await long.cache.find('n', 60)).toBeNull();
    const none = opened(kind, 0);
    none.cache.keep('n', 1, none.kept(), 60);
    expect(await none.cache.find('n', 60)).toBeNull();
  });

  test('are no longer returned after the operator turns the cache off', async () => {
    const { cache, kept, allow } = opened(kind);
    cache.keep('n', 1, kept(), 60);
    expect(await cache.find('n', 60)).not.toBeNull();
    allow(0);
    expect(await cache.find('n', 60)).toBeNull();
  });

  test('stay within the size limit', async () => {
    const { cache, kept } = opened(kind);
    for (let i = 0; i < 20; i += 1) cache.keep(`n${i}`, 1, kept('x'.repeat(200_000)), 60);
    await Bun.sleep(0);
    let found = 0;
    for (let i = 0; i < 20; i += 1) if (await cache.find(`n${i}`, 60)) found += 1;
    expect(found).toBeGreaterThan(0);
    expect(found).toBeLessThan(6);
  });
});

test('answers are encrypted in Redis', async () => {
  const { cache, written, kept } = opened('redis');
  cache.keep('n', 1, kept(), 60);
  expect(await cache.find('n', 60)).not.toBeNull();
  expect(written.size).toBe(1);
  expect([...written.values()].join()).not.toContain(words);
});
