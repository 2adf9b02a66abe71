import { expect, test } from 'bun:test';
import { isPlainNumber } from './number-paste.ts';
import { theme } from './theme.ts';

test.each(['5', '0.5', '.5', '5.', '1234.5', '1,234.5', '12,345,678', '-3', '$1,234.50', '100 USD', ' 7 ', ''])(
  '%p is a number as fields write it',
  (text) => {
    expect(isPlainNumber(text)).toBe(true);
  },
);

test.each([
  '1.234,5',
  '1,5',
  '1,23',
  '1234,567',
  '1.2.3',
  '1.234.567',
  '0,5',
  ',5',
  '1 234,5',
  '1,234,5',
  '1e5',
  '1-2',
])('%p would become another number', (text) => {
  expect(isPlainNumber(text)).toBe(false);
});

test('a comma that is typed is no decimal point in any field', () => {
  expect(theme.components?.NumberInput?.defaultProps).toMatchObject({ allowedDecimalSeparators: ['.'] });
});
