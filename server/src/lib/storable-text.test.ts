import { expect, test } from 'bun:test';
import { storableText } from './storable-text.ts';

test('characters that no engine can store are removed or replaced, also where a text is cut', () => {
  expect(storableText('a\0b\ud800c')).toBe('ab\ufffdc');
  expect(storableText('ab😀', 3)).toBe('ab\ufffd');
  expect(storableText('ab😀', 4)).toBe('ab😀');
});
