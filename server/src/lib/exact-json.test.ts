import { describe, expect, test } from 'bun:test';
import { isRawNumber, parseExactly } from './exact-json.ts';

describe('numbers that a double cannot hold are written back as they came', () => {
  test.each([
    '9007199254740993',
    '-9007199254740993',
    '12345678901234567890',
    '0.1234567890123456789',
    '1234567890.12345678901',
    '1e400',
    '-1E+999',
    '1e-400',
  ])('%s', (number) => {
    for (const text of [
      number,
      `[${number}]`,
      `{"a":{"b":[1,${number},"x"]}}`,
      `{"__proto__":${number},"n":${number}}`,
    ]) {
      const value = parseExactly(text);
      expect(JSON.stringify(value)).toBe(text);
    }
    expect(isRawNumber(parseExactly(number))).toBe(true);
  });
});

test.each([
  '1',
  '-0.5',
  '1.0000000000000000000',
  '9007199254740991',
  '10000000000000000000000',
  '1e21',
  '1.7976931348623157e308',
  '0.30000000000000004',
  '"12345678901234567890"',
  '{"12345678901234567890":"a \\" 9007199254740993"}',
  '["\\\\",1234567890123456,"\\\\\\""]',
])('%s is what JSON.parse says', (text) => {
  expect(parseExactly(text)).toEqual(JSON.parse(text));
});

test.each([
  '',
  '{',
  '01234567890123456789',
  '1234567890123456789.',
  '12345678901234567890e',
  '[1 2345678901234567890]',
])('%s is refused', (text) => {
  expect(() => parseExactly(text)).toThrow(SyntaxError);
});

test('a long text of small values takes no longer for one large number', () => {
  const text = `[${'1,'.repeat(300_000)}12345678901234567890]`;
  expect(JSON.stringify(parseExactly(text))).toBe(text);
});

test('megabytes of text and escapes are read', () => {
  for (const inside of ['x'.repeat(4_000_000), '\\"'.repeat(500_000)]) {
    const text = `{"a":"${inside}","n":12345678901234567890}`;
    expect(JSON.stringify(parseExactly(text))).toBe(text);
  }
});

test('a text that looks like many unfinished strings is refused after one look', () => {
  expect(() => parseExactly(`[12345678901234567890,"${'\\"'.repeat(500_000)}`)).toThrow(SyntaxError);
});
