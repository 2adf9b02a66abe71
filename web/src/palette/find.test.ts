import { expect, test } from 'bun:test';
import { type Entry, find } from './find.ts';

const entry = (group: string, label: string, more: Partial<Entry> = {}): Entry => ({
  key: `${group} ${label}`,
  group,
  label,
  icon: (() => null) as unknown as Entry['icon'],
  to: { to: '/' },
  ...more,
});

const entries = [
  entry('Pages', 'Home'),
  entry('Pages', 'Keys', { hint: 'Create and manage API keys' }),
  entry('Pages', 'Models', { words: 'Admin' }),
  entry('Keys', 'Backend'),
  entry('Keys', 'Home office'),
  entry('Models', 'acme/home-1'),
  entry('Users', 'nadia', { words: 'Nadia Novak nadia@example.org' }),
];
const found = (query: string) =>
  find(entries, query, 'Pages').flatMap(({ group, entries: of }) => of.map(({ label }) => `${group}: ${label}`));

test('an empty query lists the pages', () => {
  expect(found('  ')).toEqual(['Pages: Home', 'Pages: Keys', 'Pages: Models']);
  expect(find([], '', 'Pages')).toEqual([]);
});

test('the best match comes first, with its group', () => {
  expect(found('HOME')).toEqual(['Pages: Home', 'Keys: Home office', 'Models: acme/home-1']);
  expect(found('home off')).toEqual(['Keys: Home office']);
  expect(found('key')).toEqual(['Pages: Keys', 'Keys: Backend', 'Keys: Home office']);
});

test('every word must match, in any order, also in hidden words', () => {
  expect(found('novak')).toEqual(['Users: nadia']);
  expect(found('example nadia')).toEqual(['Users: nadia']);
  expect(found('office  home')).toEqual(['Keys: Home office']);
  expect(found('admin models')).toEqual(['Pages: Models']);
  expect(found('nothing like it')).toEqual([]);
  expect(found('.*')).toEqual([]);
});

test('a group shows at most its eight best matches', () => {
  const many = Array.from({ length: 500 }, (_, i) => entry('Models', `acme/model-${i}`));
  const [models] = find([...many, entry('Models', 'model')], 'model', 'Pages');
  expect(models!.entries).toHaveLength(8);
  expect(models!.entries[0]!.label).toBe('model');
});
