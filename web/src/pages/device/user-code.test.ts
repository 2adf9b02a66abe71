import { expect, test } from 'bun:test';
import { isWhole, shownCode } from './user-code.ts';

test('formats a user code as on the device, however it is typed', () => {
  for (const typed of ['bcdfghjk', 'BCDF-GHJK', ' bcdf ghjk ', 'b-c-d-f-g-h-j-k', 'BCDF–GHJKLM'])
    expect(shownCode(typed)).toBe('BCDF-GHJK');
  expect(shownCode('bcd')).toBe('BCD');
  expect(shownCode('bcdf')).toBe('BCDF');
  expect(shownCode('bcdfg')).toBe('BCDF-G');
  // There are no vowels and no digits in it.
  expect(shownCode('a1e2i3')).toBe('');
});

test('a code is complete with eight letters', () => {
  expect(isWhole('BCDF-GHJK')).toBe(true);
  for (const part of ['', 'BCDF', 'BCDF-GHJ']) expect(isWhole(part)).toBe(false);
});
