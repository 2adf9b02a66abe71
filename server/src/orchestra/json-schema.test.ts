import { expect, test } from 'bun:test';
import { fitsSchema } from './json-schema.ts';

const person = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: ['integer', 'null'] },
    kind: { enum: ['cat', 'dog'] },
    friends: { type: 'array', items: { $ref: '#' } },
    home: { anyOf: [{ $ref: '#/$defs/place' }, { type: 'null' }] },
  },
  required: ['name'],
  additionalProperties: false,
  $defs: { place: { type: 'object', required: ['town'], properties: { town: { type: 'string' } } } },
};

test.each<[unknown, boolean]>([
  [{ name: 'Ann' }, true],
  [{ name: 'Ann', age: null, kind: 'cat', friends: [{ name: 'Bo', home: { town: 'Oslo', street: 1 } }] }, true],
  [{}, false],
  [{ name: 3 }, false],
  [{ name: 'Ann', age: 1.5 }, false],
  [{ name: 'Ann', kind: 'cow' }, false],
  [{ name: 'Ann', more: 1 }, false],
  [{ name: 'Ann', friends: [{ age: 3 }] }, false],
  [{ name: 'Ann', home: { city: 'Oslo' } }, false],
  [[], false],
  [{ name: 'Ann', toString: 1 }, false],
])('%p matches: %p', (value, fits) => expect(fitsSchema(value, person)).toBe(fits));

test('unknown keywords pass, and hostile input takes bounded time', () => {
  for (const schema of [
    null,
    'x',
    {},
    { type: 'OBJECT' },
    { $ref: '#/$defs/none' },
    { $ref: 'http://x' },
    { pattern: '(a+)+$' },
  ])
    expect(fitsSchema({ a: 'aaaa!' }, schema)).toBe(true);
  expect(fitsSchema({ a: 1 }, { $ref: '#' })).toBe(true);
  expect(fitsSchema({ a: 1 }, { anyOf: [{ anyOf: [{ $ref: '#' }] }] })).toBe(true);
  const twice = { anyOf: [{ properties: { a: { $ref: '#' } } }, { properties: { a: { $ref: '#' } } }], type: 'object' };
  let deep: unknown = 'not an object';
  for (let i = 0; i < 60; i++) deep = { a: deep };
  // Twice as long with each level, it would never end.
  fitsSchema(deep, twice);
});
