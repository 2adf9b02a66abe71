import { expect, test } from 'bun:test';
import { isDeleted } from './user-state.ts';

test('only the row itself, and only while nobody can use it', () => {
  expect(isDeleted({ id: 7, username: 'deleted-7', status: 2 })).toBe(true);
  expect(isDeleted({ id: 8, username: 'deleted-7', status: 2 })).toBe(false);
  expect(isDeleted({ id: 7, username: 'deleted-7', status: 1 })).toBe(false);
  expect(isDeleted({ id: 7, username: 'ulf', status: 2 })).toBe(false);
});
