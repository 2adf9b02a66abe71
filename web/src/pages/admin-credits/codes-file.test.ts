import { expect, test } from 'bun:test';
import { codesFile, lastMonth, monthOf } from './codes-file.ts';

test('the CSV file has one code per line', () => {
  const address = codesFile([
    { id: 1, code: 'AAAAA-BBBBB-CCCCC-DDDDD' },
    { id: 2, code: '00000-11111-22222-33333' },
  ]);
  expect(decodeURIComponent(address)).toBe(
    'data:text/csv;charset=utf-8,id,code\r\n1,AAAAA-BBBBB-CCCCC-DDDDD\r\n2,00000-11111-22222-33333\r\n',
  );
});

test('computes the current and the previous month in UTC', () => {
  expect(monthOf(new Date('2026-01-31T23:59:59Z'))).toBe('2026-01');
  expect(lastMonth(new Date('2026-01-31T23:59:59Z'))).toBe('2025-12');
  expect(lastMonth(new Date('2026-12-01T00:00:00Z'))).toBe('2026-11');
});
