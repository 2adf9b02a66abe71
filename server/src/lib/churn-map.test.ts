import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { ChurnMap } from './churn-map.ts';

test('behaves like a Map under any operations', () => {
  const step = fc.record({ set: fc.boolean(), key: fc.integer({ min: 0, max: 3_000 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 6_000, size: 'max' }), (steps) => {
      const map = new ChurnMap<{ n: number }>();
      const plain = new Map<string, { n: number }>();
      for (const [n, { set, key }] of steps.entries()) {
        const name = `k${key}`;
        if (set) {
          map.set(name, { n });
          plain.set(name, { n });
        } else expect(map.delete(name)).toBe(plain.delete(name));
        expect(map.get(name)).toEqual(plain.get(name));
        expect(map.size).toBe(plain.size);
      }
    }),
    { numRuns: 20 },
  );
});

test('releases deleted entries while thousands come and go', () => {
  const map = new ChurnMap<object>();
  map.set('stays', { it: true });
  for (let i = 0; i < 10_000; i += 1) {
    map.set(`passing ${i}`, { i });
    expect(map.delete(`passing ${i}`)).toBe(true);
    expect(map.delete(`passing ${i}`)).toBe(false);
  }
  expect(map.size).toBe(1);
  expect(map.get('stays')).toEqual({ it: true });
  expect(map.get('passing 9999')).toBeUndefined();
});
