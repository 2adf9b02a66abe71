import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { repeatedName } from './repeated-names.ts';

test.each([
  ['{"a": 1, "a": 2}', 'a'],
  ['{"a":1,"\\u0061":2}', 'a'],
  ['{"":1,"":2}', ''],
  ['[{"x": {"b": 1 , "b" : 2}}]', 'b'],
  ['{"a": {"a": {"a": 1}}, "b": ["a", "a", "b"]}', null],
  ['[{"a": 1}, {"a": 2}]', null],
  ['{"a": "\\"a\\": 1", "b": "\\\\", "c": "{\\"b\\":"}', null],
  ['{"__proto__": 1, "constructor": 2}', null],
  ['{"__proto__": 1, "__proto__": 2}', '__proto__'],
  ['"a"', null],
  ['{}', null],
])('%s', (text, name) => {
  expect(repeatedName(text)).toBe(name);
});

test('serialised values have no repeated names, and adding one is detected', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { minKeys: 1 }), (value) => {
      const text = JSON.stringify(value, null, 1);
      expect(repeatedName(text)).toBeNull();
      const [first] = Object.keys(JSON.parse(text) as object) as [string];
      expect(repeatedName(`${text.slice(0, -1)}, ${JSON.stringify(first)} : {}}`)).toBe(first);
    }),
  );
});
