import { describe, expect, test } from 'bun:test';
import { typeLetter } from './number-entry.ts';
import { readNumber } from './read-number.ts';

/** What a field holds after a text came letter by letter; null where its last letter was refused with words. */
function type(text: string, whole: boolean): string | null {
  let state = { raw: '', number: '', fault: false };
  for (const letter of text) {
    const next = typeLetter(state, letter, whole);
    const plain = state.number + letter;
    state = next ?? { raw: plain, number: plain, fault: false };
  }
  return state.fault ? null : state.number;
}

describe.each([
  // as written, in a field with decimals, in one for whole numbers
  ['5', '5', '5'],
  ['1234567', '1234567', '1234567'],
  ['1.5', '1.5', null],
  ['.5', '.5', null],
  ['1,5', '1.5', null],
  ['0,5', '0.5', null],
  [',5', '.5', null],
  ['1,50', '1.50', null],
  ['1,500', '1500', '1500'],
  ['0,500', '0.500', null],
  ['1,5005', '1.5005', null],
  ['1234,567', '1234.567', null],
  ['1,234.5', '1234.5', null],
  ['12,345,678', '12345678', '12345678'],
  ['1.500', '1.500', null],
  ['1.500,25', '1500.25', null],
  ['1.234.567', '1234567', '1234567'],
  ['1 500', '1500', '1500'],
  ['1\u00a0500', '1500', '1500'],
  ['1 234,5', '1234.5', null],
  ["1'500", '1500', '1500'],
  ['１２', '12', '12'],
  ['１．５', '1.5', null],
  ['１，５', '1.5', null],
  ['-1', '-1', '-1'],
  ['−1', '-1', '-1'],
  ['-1,5', '-1.5', null],
  [' 5 ', '5', '5'],
  ['$1,234.50', '1234.50', null],
  ['100 USD', '100', '100'],
  ['5.00', '5.00', '5'],
  ['5.000', '5.000', null],
  ['1e3', null, null],
  ['五', null, null],
  ['1,234,5', null, null],
  ['1.2.3', null, null],
  ['1-2', null, null],
  ['1 5', null, null],
] as const)('number entry of %p', (text, decimals, whole) => {
  test('gives the same number, or none, when pasted and when typed', () => {
    expect({ copied: readNumber(text, false), typed: type(text, false) }).toEqual({
      copied: decimals,
      typed: decimals,
    });
    expect({ copied: readNumber(text, true), typed: type(text, true) }).toEqual({ copied: whole, typed: whole });
  });
});
