import { expect, test } from 'bun:test';
import { isDeleted } from './user-state.ts';

test('a user is deleted only if disabled and named after their own id', () => {
  expect(isDeleted({ id: 7, username: 'deleted-7', status: 2 })).toBe(true);
  expect(isDeleted({ id: 8, username: 'deleted-7', status: 2 })).toBe(false);
  expect(isDeleted({ id: 7, username: 'deleted-7', status: 1 })).toBe(false);
  expect(isDeleted({ id: 7, username: 'ulf', status: 2 })).toBe(false);
});
