import { expect, test } from 'bun:test';
import { filterRows, isAtLeast, lastPage, pageOfRows, sortRows } from './list-rows.ts';

test('finds rows that contain every word, in any order and case', () => {
  const rows = ['Laptop of Ada', 'server', 'Ada’s phone'];
  const found = (typed: string) => filterRows(rows, typed, (row) => row);
  expect(found('ADA lap')).toEqual(['Laptop of Ada']);
  expect(found(' ada ')).toEqual(['Laptop of Ada', 'Ada’s phone']);
  expect(found('')).toEqual(rows);
  expect(found('nobody')).toEqual([]);
});

test('sorts numbers numerically, also inside names, and is stable', () => {
  const byName = (rows: string[], descending: boolean) => sortRows(rows, (row) => row, descending);
  expect(byName(['key 10', 'Key 9', 'key 100'], false)).toEqual(['Key 9', 'key 10', 'key 100']);
  expect(byName(['key 10', 'Key 9', 'key 100'], true)).toEqual(['key 100', 'key 10', 'Key 9']);
  const rows = [
    { name: 'a', spent: 1 },
    { name: 'b', spent: 10 },
    { name: 'c', spent: 1 },
  ];
  expect(sortRows(rows, ({ spent }) => spent, true).map(({ name }) => name)).toEqual(['b', 'a', 'c']);
});

test('a page past the end becomes the last page', () => {
  expect(pageOfRows([1, 2, 3], 2, 2)).toEqual({ page: 2, rows: [3] });
  expect(pageOfRows([1, 2], 2, 2)).toEqual({ page: 1, rows: [1, 2] });
  expect(pageOfRows([], 5, 2)).toEqual({ page: 1, rows: [] });
});

test('a total is a lower bound where the service stopped counting', () => {
  // 10,000 rows, counted to a thousand rows behind the page.
  for (const page of [1, 2, 450]) expect(isAtLeast({ page, pageSize: 20, total: page * 20 + 1_000 })).toBe(true);
  expect(isAtLeast({ page: 500, pageSize: 20, total: 10_000 })).toBe(false);
  expect(isAtLeast({ page: 1, pageSize: 20, total: 999 })).toBe(false);
});

test('a page without rows leads to the last page', () => {
  expect(lastPage({ page: 9, pageSize: 20, total: 81 })).toBe(5);
  expect(lastPage({ page: 2, pageSize: 20, total: 0 })).toBe(1);
  // The last row of this page was deleted just now.
  expect(lastPage({ page: 3, pageSize: 20, total: 41 })).toBe(2);
});
