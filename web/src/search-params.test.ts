import { expect, test } from 'bun:test';
import { parseSearch, safeNext, stringifySearch } from './search-params.ts';

test('values stay strings, and repeated parameters stay lists', () => {
  const text = '?state=007&scope=a+b&scope=true&empty=';
  expect(parseSearch(text)).toEqual({ state: '007', scope: ['a b', 'true'], empty: '' });
  expect(stringifySearch(parseSearch(text))).toBe(text);
  expect(stringifySearch({ page: 2, q: undefined, tag: null })).toBe('?page=2');
  expect(stringifySearch({})).toBe('');
});

test.each(['constructor', 'toString', '__proto__'])('%s is a name like any other', (name) => {
  expect(stringifySearch(parseSearch(`?${name}=x&client_id=a`))).toBe(`?${name}=x&client_id=a`);
});

test('next accepts only paths of this origin', () => {
  const origin = 'http://localhost:3000';
  expect(safeNext('/keys?page=2#top', origin)).toBe('/keys?page=2#top');
  const hostile = [
    '//evil.test',
    '/\\evil.test',
    '/\t/evil.test',
    '/.//evil.test',
    'https://evil.test',
    'javascript:1',
    '',
  ];
  for (const next of [...hostile, undefined, ['/a', '/b']]) expect(safeNext(next, origin)).toBe('/');
});
