import { expect, test } from 'bun:test';
import { added, emptyAlias, faultsOf, mostModels, moved } from './alias-fields.ts';

test('requires a name without spaces and at least one model', () => {
  expect(Object.keys(faultsOf(emptyAlias))).toEqual(['name', 'models']);
  expect(faultsOf({ name: 'fast', models: ['a/b'] })).toEqual({});
  expect(faultsOf({ name: 'very fast', models: ['a/b'] }).name).toContain('spaces');
});

test('ignores duplicate and invalid models, and models over the limit', () => {
  expect(added(['a'], ' b ')).toEqual(['a', 'b']);
  expect(added(['a'], 'a')).toEqual(['a']);
  expect(added(['a'], 'two words')).toEqual(['a']);
  const full = Array.from({ length: mostModels }, (_, index) => `m${index}`);
  expect(added(full, 'more')).toEqual(full);
});

test('moves a model up or down, but not past the ends', () => {
  expect(moved(['a', 'b', 'c'], 2, -1)).toEqual(['a', 'c', 'b']);
  expect(moved(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c']);
  expect(moved(['a', 'b'], 0, -1)).toEqual(['a', 'b']);
  expect(moved(['a', 'b'], 1, 1)).toEqual(['a', 'b']);
});
