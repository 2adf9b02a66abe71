import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { changesOf, Secret } from './changes.ts';

test('only changed fields are returned', () => {
  const before = { name: 'a', models: ['x'], weight: 1 };
  expect(changesOf(before, { ...before, weight: 2 })).toEqual({ before: { weight: 1 }, after: { weight: 2 } });
  expect(changesOf(before, { ...before, models: ['x'] })).toEqual({ before: {}, after: {} });
  expect(changesOf(null, before)).toEqual({ before: null, after: before });
  expect(changesOf(before, null)).toEqual({ before, after: null });
});

test('only the names of fields are returned if values are too long', () => {
  expect(changesOf({ text: '' }, { text: 'x'.repeat(20_000) }).after).toEqual({ fields: ['text'] });
});

test('a secret is never shown, whatever changes', () => {
  const secret = fc.string({ minLength: 12, maxLength: 40 });
  const state = fc.option(fc.record({ plain: fc.boolean(), key: secret }));
  fc.assert(
    fc.property(state, state, (a, b) => {
      const seal = (s: typeof a) => s && { plain: s.plain, key: new Secret(s.key) };
      const changes = changesOf(seal(a), seal(b));
      expect(changes.before?.key).toBeUndefined();
      expect(changes.after?.key).toBe(a && b && a.key !== b.key ? 'changed' : undefined);
    }),
    { numRuns: 1_000 },
  );
  expect(changesOf({ key: new Secret('x') }, { key: new Secret('') }).after).toEqual({ key: 'changed' });
});
