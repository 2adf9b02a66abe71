import { expect, test } from 'bun:test';
import { isSame } from './confirm-delete.tsx';

test('a name is confirmed as it reads, whatever spaces are pasted with it', () => {
  expect(isSame(' Acme  Research\n', 'Acme Research')).toBe(true);
  expect(isSame('Acme Research', 'Acme  Research')).toBe(true);
  expect(isSame('Cafe\u0301', 'Caf\u00e9')).toBe(true);
  expect(isSame('acme research', 'Acme Research')).toBe(false);
  expect(isSame('', 'Acme')).toBe(false);
});
