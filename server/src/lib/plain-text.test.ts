import { expect, test } from 'bun:test';
import { plainText } from './plain-text.ts';

test.each([
  ['a word', 'a word'],
  [7, '7'],
  [true, 'true'],
  [undefined, 'undefined'],
  [null, 'null'],
  [{ toString: 1 }, '{"toString":1}'],
  [['a'], '["a"]'],
])('%p', (value, text) => expect(plainText(value)).toBe(text));
