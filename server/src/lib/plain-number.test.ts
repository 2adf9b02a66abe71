import { expect, test } from 'bun:test';
import { readConfig } from '../config.ts';
import { type OptionName, optionTable, readOptionValue } from '../identity/option-table.ts';
import { plainNumber } from './plain-number.ts';

const notPlain = [
  '',
  ' ',
  '0x10',
  '0b11',
  '0o17',
  '1e3',
  '1E3',
  ' 5',
  '5 ',
  '5\n',
  '+5',
  '--5',
  '5-',
  '.5',
  '5.',
  '1.2.3',
];
const neither = [
  '1,5',
  '1_000',
  '1,000',
  '1 000',
  '５',
  '٥',
  '1n',
  'NaN',
  'Infinity',
  '-Infinity',
  'ten',
  'true',
  'null',
];

test.each([...notPlain, ...neither])('%p is not a plain number', (text) => {
  expect(plainNumber(text)).toBeNull();
});

test.each([
  ['0', 0],
  ['5', 5],
  ['-5', -5],
  ['007', 7],
  ['0.25', 0.25],
  ['5.0', 5],
])('%p is %p', (text, number) => {
  expect(plainNumber(text)).toBe(number);
});

const variables = ['PORT', 'DATABASE_POOL', 'WORKERS', 'DRAIN_SECONDS', 'VIDEO_JOB_TTL'];
const lifetimes = ['OAUTH2_ACCESS_TOKEN_TTL', 'OAUTH2_REFRESH_TOKEN_TTL', 'OAUTH2_CODE_TTL'];

test.each([...variables, ...lifetimes])('%s takes plain numbers only', (name) => {
  // An empty variable is one that is not set.
  for (const text of [...notPlain.slice(1).filter((one) => one !== '5\n'), ...neither, '1.5', '9'.repeat(400)])
    expect(() => readConfig({ [name]: text })).toThrow(`${name} must be `);
  expect(() => readConfig({ [name]: '1', DATABASE_URL: 'postgres://x', REDIS_URL: 'redis://x' })).not.toThrow();
});

const numbers = (Object.keys(optionTable) as OptionName[]).filter(
  (name) => typeof optionTable[name].default === 'number',
);

test.each(numbers)('the option %s takes numbers, and texts of plain ones', (name) => {
  const { min } = optionTable[name] as { min: number };
  for (const text of [...notPlain, ...neither, '9'.repeat(400)])
    expect(readOptionValue(name, text)).toEqual({ fault: expect.stringContaining('must be ') });
  for (const other of [null, undefined, true, [], [5], {}, Number.NaN, Number.POSITIVE_INFINITY, 5n])
    expect(readOptionValue(name, other)).toEqual({ fault: expect.stringContaining('must be ') });
  expect(readOptionValue(name, min)).toEqual({ value: min });
  expect(readOptionValue(name, `${min}`)).toEqual({ value: min });
  expect(readOptionValue(name, min - 1)).toEqual({ fault: expect.stringContaining('must be between') });
  expect(readOptionValue(name, `${min - 1}`)).toEqual({ fault: expect.stringContaining('must be between') });
});
