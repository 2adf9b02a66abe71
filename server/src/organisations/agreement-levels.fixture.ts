import { expect } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import { added, type Entry, expectSameRows, expectSummary, readerOf, tableOf } from './agreement.fixture.ts';
import type { Scene } from './mixture.fixture.ts';

/** An organisation whose teams and members kept their keys: its usage by level, its files for accounting and its budgets. */

export interface Place {
  level: 'organisation' | 'team' | 'member' | 'key';
  id: number;
  keys: number[];
}
interface Budget {
  level: Place['level'];
  level_id: number;
  window: string;
  used: number;
  remaining: number;
  amount: number;
  starts_at: number | null;
}

const quotaOf = (usd: string): number => Math.round(Number(usd) * 500_000);

/** `months` are those of the organisation's time zone, by their start. */
export async function expectLevels(
  { world, id, path }: Scene,
  by: Member,
  places: Place[],
  { from, months }: { from: number; months: { name: string; startsAt: number; endsAt: number }[] },
): Promise<void> {
  const owner = readerOf(world, by);
  const root = readerOf(world, world.root);
  const everything = await root.all<Entry>('/api/admin/usage/logs', 'logs');
  const of = ({ keys }: Place) => everything.filter(({ token_id }) => keys.includes(token_id ?? 0));
  const shown = await owner.get<{ keys: { id: number; used_quota: number }[] }>(path('/keys'));
  for (const key of shown.keys) {
    const used = everything.filter(({ token_id }) => token_id === key.id);
    expect({ key: key.id, used: key.used_quota }).toEqual({ key: key.id, used: added(used, 'quota') });
  }
  for (const place of places) {
    const entries = of(place);
    const level = `level=${place.level}${place.level === 'organisation' ? '' : `&level_id=${place.id}`}`;
    const listed = await owner.all<Entry>(path(`/requests?${level}`), 'logs');
    expect(listed.map(({ id: entry, quota }) => [entry, quota])).toEqual(entries.map((one) => [one.id, one.quota]));
    expectSameRows(await owner.table(path(`/requests?${level}&format=csv`)), entries);
    await expectSummary(owner.get, path(`/usage?${level}`), entries, { from });
  }
  for (const level of ['organisation', 'team', 'member', 'key'] as const)
    for (const { name, startsAt, endsAt } of months) {
      const rows = tableOf(await (await by.call(path(`/accounting?month=${name}&level=${level}`))).text());
      const within = ({ created_at }: Entry) => created_at >= startsAt && created_at < endsAt;
      const used = of(places.find((one) => one.level === 'organisation')!).filter(within);
      expect([
        level,
        name,
        added(
          rows.map((row) => ({ n: Number(row.quota) })),
          'n',
        ),
      ]).toEqual([level, name, added(used, 'quota')]);
      for (const row of rows) {
        const place = places.find(
          (one) => one.level === level && `${one.id}` === (level === 'organisation' ? `${id}` : row.id),
        );
        const mine = place ? of(place).filter(within) : null;
        if (mine)
          expect([row.level, row.id, Number(row.quota), Number(row.requests)]).toEqual([
            level,
            row.id!,
            added(mine, 'quota'),
            mine.length,
          ]);
        const parts = Object.entries(row).filter(([column]) => column.endsWith('_usd') && column !== 'shortfall_usd');
        expect(parts.reduce((sum, [, usd]) => sum + quotaOf(usd), 0) - quotaOf(row.shortfall_usd!)).toBe(
          Number(row.quota),
        );
        expect(quotaOf(row.usd!)).toBe(Number(row.quota));
      }
    }
  const { budgets } = await owner.get<{ budgets: Budget[] }>(path('/budgets'));
  for (const { level, level_id, window, used, remaining, amount, starts_at } of budgets) {
    const place = places.find((one) => one.level === level && one.id === level_id)!;
    const counted = of(place).filter(({ created_at }) => created_at >= (starts_at ?? 0));
    const spent = added(counted, 'quota') + added(counted, 'shortfall');
    expect({ level, window, used }).toEqual({ level, window, used: spent });
    expect(remaining).toBe(Math.max(0, amount - used));
  }
}
