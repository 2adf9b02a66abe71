import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { manualClock } from '../../lib/clock.ts';
import { CachedLookup } from './cached-lookup.ts';

interface Row {
  key: string;
  tags: string[];
}

/** Rows with tags, and a count of reads per row. */
function opened(tagsOf: (key: string) => string[], max: number) {
  const reads = new Map<string, number>();
  const lookup = new CachedLookup<Row>({
    load: async (key) => {
      reads.set(key, (reads.get(key) ?? 0) + 1);
      return { key, tags: tagsOf(key) };
    },
    tagsOf: ({ tags }) => tags,
    max,
    clock: manualClock(0),
    cacheSync: { heard: () => true },
  });
  return { lookup, reads };
}

const keys = ['a', 'b', 'c', 'd', 'e'];
const tags = ['user:1', 'user:2', 'key:1'];
const act = fc.oneof(
  fc.record({ ask: fc.constantFrom(...keys) }),
  fc.record({ change: fc.constantFrom(...tags) }),
  fc.record({ forget: fc.constantFrom(...keys) }),
);

test('only changed entries are read again', async () => {
  const drawn = fc.dictionary(fc.constantFrom(...keys), fc.uniqueArray(fc.constantFrom(...tags)));
  await fc.assert(
    fc.asyncProperty(drawn, fc.array(act, { maxLength: 40 }), async (tagged, acts) => {
      const { lookup, reads } = opened((key) => tagged[key] ?? [], keys.length);
      const kept = new Set<string>();
      for (const one of acts) {
        if ('change' in one) {
          lookup.invalidate(one.change);
          for (const key of kept) if (tagged[key]?.includes(one.change)) kept.delete(key);
        } else if ('forget' in one) {
          lookup.forget(one.forget);
          kept.delete(one.forget);
        } else {
          const before = reads.get(one.ask) ?? 0;
          expect((await lookup.get(one.ask))?.key).toBe(one.ask);
          expect(reads.get(one.ask) ?? 0).toBe(kept.has(one.ask) ? before : before + 1);
          kept.add(one.ask);
        }
      }
    }),
    { numRuns: 200 },
  );
});

test('the oldest entry is evicted for the newest, and leaves nothing behind', async () => {
  const { lookup, reads } = opened(() => ['user:1'], 2);
  for (const key of ['a', 'b', 'c', 'b', 'c']) await lookup.get(key);
  expect(Object.fromEntries(reads)).toEqual({ a: 1, b: 1, c: 1 });
  lookup.invalidate('user:1');
  for (const key of ['b', 'c']) await lookup.get(key);
  expect(Object.fromEntries(reads)).toEqual({ a: 1, b: 2, c: 2 });
});
