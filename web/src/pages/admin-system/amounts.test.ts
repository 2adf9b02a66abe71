import { expect, test } from 'bun:test';
import { duration, megabytes } from './amounts.ts';

test('durations show their two largest units', () => {
  expect(duration(0)).toBe('0 s');
  expect(duration(62)).toBe('1 min 2 s');
  expect(duration(3_600)).toBe('1 h');
  expect(duration(86_400 * 3 + 3_600 * 4 + 59)).toBe('3 d 4 h');
});

test('memory is shown in megabytes', () => {
  expect(megabytes(123_456_789)).toBe('123 MB');
});
