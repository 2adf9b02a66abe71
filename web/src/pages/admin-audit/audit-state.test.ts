import { expect, test } from 'bun:test';
import { eventChoices, wordsOf } from './audit-events.ts';
import { auditDefaults, csvAddress, filterOf } from './audit-state.ts';

test('empty and invalid filters are ignored', () => {
  expect(filterOf(auditDefaults)).toEqual({});
  expect(
    filterOf({ ...auditDefaults, action: 'app_created', actor: 'ada', from: '2026-01-31', to: 'x', user: 'y' }),
  ).toEqual({
    action: 'app_created',
    actor: 'ada',
    from: 1_769_817_600,
  });
});

test('every action that the server records has a label', async () => {
  const server = new URL('../../../../server/src', import.meta.url).pathname;
  const found = new Set<string>();
  for await (const file of new Bun.Glob('**/*.ts').scan(server)) {
    if (/\.(test|fixture)\.ts$/.test(file)) continue;
    const text = await Bun.file(`${server}/${file}`).text();
    for (const [, action] of text.matchAll(/\b(?:audit: \{ )?action: '([a-z]+_[a-z_]+)'/g)) found.add(action!);
  }
  expect(found.size).toBeGreaterThan(60);
  expect([...found].filter((action) => wordsOf(action).label === action)).toEqual([]);
});

test('the CSV download uses the same filters', () => {
  const state = { ...auditDefaults, target: 'a b', to: '2026-01-31', page: '4' };
  expect(csvAddress(state)).toBe('/api/admin/audit?format=csv&target=a+b&to=1769903999');
});

test('event labels are unique; an unknown event is shown by its raw name', () => {
  const labels = eventChoices.flatMap(({ items }) => items.map(({ label }) => label));
  expect(new Set(labels).size).toBe(labels.length);
  expect(wordsOf('channel_updated').label).toBe('Channel changed');
  expect(wordsOf('something_new').label).toBe('something_new');
});
