import { describe, expect, test } from 'bun:test';
import type { RequestContext } from '../deps.ts';
import { parseChatRequest } from '../wire/chat/request.ts';
import { cacheKeyOf } from './cache-key.ts';
import { wishesOf } from './cached-request.ts';

const context = (userId: number, group = 'default', endpoint = '/v1/chat/completions'): RequestContext => ({
  requestId: 'r',
  caller: { userId, group, keyId: 1, keyUnlimited: true, models: [] },
  endpoint,
  override: null,
  clientHeaders: {},
  signal: new AbortController().signal,
});
const asked = (fields: object = {}) =>
  parseChatRequest({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...fields });

describe('cache keys', () => {
  const name = cacheKeyOf(context(1), asked(), 'm', false);

  test('do not depend on how the answer is delivered', () => {
    expect(cacheKeyOf(context(1), asked({ stream: true, stream_options: { include_usage: true } }), 'm', false)).toBe(
      name,
    );
  });

  test('differ by user, group, endpoint, model and fields', () => {
    const others = [
      cacheKeyOf(context(2), asked(), 'm', false),
      cacheKeyOf(context(1, 'vip'), asked(), 'm', false),
      cacheKeyOf(context(1, 'default', '/v2/chat'), asked(), 'm', false),
      cacheKeyOf(context(1), asked(), 'other', false),
      cacheKeyOf(context(1), asked({ seed: 0 }), 'm', false),
      cacheKeyOf(context(1), asked({ provider: { only: ['a'] } }), 'm', false),
      cacheKeyOf({ ...context(1), clientHeaders: { 'openai-beta': 'x' } }, asked(), 'm', false),
    ];
    expect(new Set([name, ...others]).size).toBe(others.length + 1);
  });

  test('are the same for all users in a shared cache, and differ from those of a private one', () => {
    expect(cacheKeyOf(context(2), asked(), 'm', true)).toBe(cacheKeyOf(context(1), asked(), 'm', true));
    expect(cacheKeyOf(context(1), asked(), 'm', true)).not.toBe(name);
  });

  test('distinguish fields from values that contain the same characters', () => {
    const one = asked({ metadata: { a: 'b","c":"d' } });
    const two = asked({ metadata: { a: 'b', c: 'd' } });
    expect(cacheKeyOf(context(1), one, 'm', false)).not.toBe(cacheKeyOf(context(1), two, 'm', false));
  });
});

test.each([
  [null, false, false, Number.POSITIVE_INFINITY],
  ['no-cache', true, false, Number.POSITIVE_INFINITY],
  ['NO-STORE', false, true, Number.POSITIVE_INFINITY],
  ['max-age=60', false, false, 60],
  ['no-cache , max-age=0', true, false, 0],
  ['max-age=never, only-if-cached', false, false, Number.POSITIVE_INFINITY],
])('cache-control: %s', (header, fresh, noStore, mostSeconds) => {
  expect(wishesOf(header)).toEqual({ fresh, noStore, mostSeconds });
});
