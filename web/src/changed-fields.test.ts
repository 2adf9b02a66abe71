import { expect, test } from 'bun:test';
import { changedFields } from './changed-fields.ts';

test('only fields that differ are sent', () => {
  const before = { name: 'a', models: ['x'], prices: { prompt: 1 }, limit: null as number | null };
  expect(changedFields(before, { ...before, models: ['x'], prices: { prompt: 1 } })).toEqual({});
  expect(changedFields(before, { ...before, limit: 5, models: [] })).toEqual({ limit: 5, models: [] });
  // A secret is sent only if it was typed.
  expect(changedFields(before, { ...before, secret: 's' })).toEqual({ secret: 's' });
});
