import { expect, test } from 'bun:test';
import { differencesOf } from './difference.ts';
import { labelOf } from './field-words.ts';

const shown = (type: string, before: Record<string, unknown> | null, after: Record<string, unknown> | null) =>
  differencesOf(type, before, after).map(({ label, before: was, after: is }) => [
    label,
    was.map(({ text }) => text).join(', '),
    is.map(({ text }) => text).join(', '),
  ]);

test('values are formatted according to their field', () => {
  expect(shown('user', { role: 1, status: 1, email_verified: 0 }, { role: 10, status: 2, email_verified: 1 })).toEqual([
    ['Role', 'User', 'Administrator'],
    ['Status', 'Enabled', 'Disabled'],
    ['Email verified', 'no', 'yes'],
  ]);
  expect(shown('application', { status: 1 }, { status: 2 })).toEqual([['Status', 'Active', 'Suspended']]);
  expect(shown('user', null, { quota: 1_500_000, note: 'x', balance_after: -500_000 })).toEqual([
    ['Quota', '', '$3.00'],
    ['Note', '', 'x'],
    ['Balance after', '', '-$1.00'],
  ]);
  expect(shown('api_key', { expired_time: -1 }, { expired_time: 5 })).toEqual([['Expiry time', 'never', '5']]);
});

test('added and removed list items are marked', () => {
  const [one] = differencesOf('channel', { models: ['a', 'b'] }, { models: ['b', 'c'] });
  expect(one!.before).toEqual([
    { text: 'a', differs: true },
    { text: 'b', differs: false },
  ]);
  expect(one!.after).toEqual([
    { text: 'b', differs: false },
    { text: 'c', differs: true },
  ]);
});

test('unchanged and empty fields are omitted; unexpected values do not throw', () => {
  expect(shown('x', { a: 1, b: '' }, { a: 1, b: null })).toEqual([]);
  expect(shown('x', null, null)).toEqual([]);
  expect(shown('x', { a: { b: [1] } }, { a: undefined })).toEqual([['A', '{"b":[1]}', '']]);
  expect(shown('x', { status: 7, role: 3, created_at: 1e300 }, {})[0]).toEqual(['Status', '7', '']);
  expect(labelOf('')).toBe('');
});

test('enum values are translated only in their own fields', () => {
  expect(shown('application', null, { app_type: 'public', name: 'public', second_factors: 'removed' })).toEqual([
    ['Application type', '', 'public'],
    ['Name', '', 'public'],
    ['Second factors', '', 'removed'],
  ]);
  expect(labelOf('dpop_bound_access_tokens')).toBe('DPoP-bound access tokens');
  expect(labelOf('something_new')).toBe('Something new');
});
