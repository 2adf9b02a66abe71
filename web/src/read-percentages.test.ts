import { describe, expect, test } from 'bun:test';
import { isAmbiguous, readPercentages } from './read-percentages.ts';

describe.each([
  ['50, 80, 100', [50, 80, 100]],
  ['50,80,100', [50, 80, 100]],
  ['50; 80; 100', [50, 80, 100]],
  ['50 80 100', [50, 80, 100]],
  ['50%, 80%', [50, 80]],
  ['50 %,80 %', [50, 80]],
  ['100 % 5%;5', [5, 100]],
  ['50,100', [50, 100]],
  ['50，80，100', [50, 80, 100]],
  ['50、80', [50, 80]],
  ['５０', [50]],
  ['12.5', [12.5]],
  ['12,5, 80', null],
  ['12,5 80', null],
  ['12,5 %', null],
  ['12,5', null],
  ['12，5', null],
  ['0,5', [0.5]],
  ['0,5; 12.5', [0.5, 12.5]],
  ['50,', [50]],
  ['50, ', [50]],
  ['', []],
  [' ', []],
  ['100', [100]],
  ['100.1', null],
  ['0.05', null],
  ['0', null],
  ['-5', null],
  ['half', null],
  ['1e1', null],
  ['0x10', null],
  ['٥٠', null],
] as const)('the percentages %p', (text, expected) => {
  test('are read as meant, or not at all', () => {
    expect(readPercentages(text)).toEqual(expected as number[] | null);
    expect(isAmbiguous(text)).toBe(/\d{2}[,，]5/.test(text));
  });
});
