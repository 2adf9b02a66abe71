import { expect, test } from 'bun:test';
import { durationWords, headline, reasonWords } from './run-words.ts';

test('durations are formatted in hours, minutes and seconds', () => {
  expect([0, 59, 60, 61, 600, 3_600, 3_725].map(durationWords)).toEqual([
    '0 s',
    '59 s',
    '1 min',
    '1 min 1 s',
    '10 min',
    '1 h',
    '1 h 2 min',
  ]);
});

test('a headline is the first line, shortened at a word boundary', () => {
  expect(headline('  short  \nsecond line')).toBe('short');
  expect(headline('one two, three four', 10)).toBe('one two…');
  expect(headline('x'.repeat(30), 10)).toHaveLength(6);
});

test('an unknown reason is shown without underscores', () => {
  expect(reasonWords('max_time')).toContain('time');
  expect(reasonWords('a_new_reason')).toBe('a new reason');
  expect(reasonWords(null)).toBe('');
});
