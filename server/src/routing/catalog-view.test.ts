import { expect, test } from 'bun:test';
import { migrate } from '../platform/db/migrate.ts';
import { migration as catalogTables } from '../platform/db/migrations/0004-routing.ts';
import { openDb } from '../platform/db/open.ts';
import { candidateOf, channelOf } from './candidate.fixture.ts';
import { catalogView } from './catalog-view.ts';
import { legacyCandidate } from './legacy.ts';

const free = { promptPrice: 0, completionPrice: 0, requestPrice: 0 };

test('lists all groups together with each candidate once, including legacy names and disabled providers', async () => {
  const { db, close } = await openDb({ path: ':memory:' });
  await migrate(db, [catalogTables]);
  for (const [provider, group, status] of [
    ['p1', 'default', 1],
    ['p2', 'vip', 1],
    ['off', 'default', 2],
  ] as const) {
    await db
      .insertInto('channels')
      .values({
        name: provider,
        provider,
        kind: 'openai',
        base_url: 'http://127.0.0.1:1',
        credential: '',
        priority: 0,
        weight: 1,
        status,
        models: '[]',
        group_name: group,
        timeout_ms: 1000,
        created_at: 0,
        updated_at: 0,
      })
      .execute();
  }
  const everybodys = candidateOf(1);
  const vips = candidateOf(2, { modelId: 'acme/vip', channel: { group: 'vip' } });
  const old = legacyCandidate(channelOf(1), 'old/model', 'chat', free);
  const listings = [
    { id: 'acme/large', types: ['chat'], group: 'default' },
    { id: 'old/model', types: [], group: 'default' },
    { id: 'acme/vip', types: ['chat'], group: 'vip' },
  ];
  const seen = (group: string) => listings.filter((one) => one.group === 'default' || one.group === group);
  const view = catalogView(
    {
      candidatesFor: (modelId) => [everybodys, vips].filter((one) => one.modelId === modelId),
      legacyCandidatesFor: (modelId) => (modelId === 'old/model' ? [old] : []),
      // Only the members that are used.
      models: (group) => seen(group) as never,
      model: (modelId, group) => seen(group).find((one) => one.id === modelId) as never,
    },
    db,
  );
  expect((await view.allCandidates('default')).map((one) => one.modelId)).toEqual(['acme/large', 'old/model']);
  expect((await view.allCandidates()).map((one) => one.key)).toEqual([everybodys.key, old.key, vips.key]);
  expect([...(await view.providers())].sort()).toEqual(['demo', 'off', 'p1', 'p2']);
  expect([await view.hasModel('acme/vip'), await view.hasModel('no/such')]).toEqual([true, false]);
  await close();
});
