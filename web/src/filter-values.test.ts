import { expect, test } from 'bun:test';
import { fitting, isWhole, oneOf, upTo } from './filter-values.ts';

const defaults = { page: '1', q: '', status: 'all', user: '' };
const fits = { status: oneOf([{ value: 'failed' }, { value: 'all' }]), user: isWhole, q: upTo(5) };

test('values that fit are kept, and empty ones', () => {
  const given = { page: '3', q: 'abc d', status: 'failed', user: '12' };
  expect(fitting(given, defaults, fits)).toEqual({ values: given, wrong: [] });
  const empty = { page: '', q: '', status: '', user: '' };
  expect(fitting(empty, defaults, fits)).toEqual({ values: empty, wrong: [] });
});

test('values that do not fit are replaced by their defaults, and named', () => {
  const given = { page: '1', q: 'abc de', status: 'constructor', user: '-1' };
  expect(fitting(given, defaults, fits)).toEqual({ values: defaults, wrong: ['q', 'status', 'user'] });
  for (const q of ['a\0b', 'x'.repeat(1_001)])
    expect(fitting({ q }, { q: '' }, {})).toEqual({ values: { q: '' }, wrong: ['q'] });
});
