import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { oneLine } from './one-line.ts';

test('numbers and strings stay as they are written', () => {
  const text = '{\r\n\t"id": 9007199254740993,\r  "far": 1e400, "near": 1.50,\n\n"text": "a\\n  b"\n}\n';
  expect(oneLine(text)).toBe('{"id": 9007199254740993,"far": 1e400, "near": 1.50,"text": "a\\n  b"}');
});

test('what ends a line for some readers is escaped', () => {
  expect(oneLine('"a\u2028b\u2029c\u0085d"')).toBe('"a\\u2028b\\u2029c\\u0085d"');
});

test('the value stays the same', () => {
  const indent = fc.constantFrom(0, 1, 4, '\t', '\n', '\r\n', ' \r');
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), indent, (value, space) => {
      const text = oneLine(JSON.stringify(value, null, space));
      expect(text).not.toMatch(/[\n\r\u0085\u2028\u2029]/);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
