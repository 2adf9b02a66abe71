import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { holdTime, pass } from '../../lib/held-time.fixture.ts';
import { openDb } from '../../platform/db/open.ts';
import { readSync } from '../../platform/db/sqlite-dialect.ts';
import { RecentReads } from './recent-reads.ts';

holdTime();

async function open() {
  const { db, close } = await openDb({ path: ':memory:' });
  await sql`create table one (v bigint not null)`.execute(db);
  await sql`insert into one (v) values (1)`.execute(db);
  const reads = new RecentReads<string, number>(true);
  let asked = 0;
  const read = async () => {
    const known = reads.get('v');
    if (known !== undefined) return known;
    asked += 1;
    const row = readSync<{ v: number }>(db, 'select v from one', []);
    if (row instanceof Promise) return (await row)!.v;
    reads.set('v', row!.v);
    return row!.v;
  };
  return { db, close, reads, read, asked: () => asked };
}

test('a cached value is used until it is reported as changed', async () => {
  const t = await open();
  expect([await t.read(), await t.read(), t.asked()]).toEqual([1, 1, 1]);
  t.reads.delete('other');
  expect([await t.read(), await t.read(), t.asked()]).toEqual([1, 1, 1]);
  await sql`update one set v = 2`.execute(t.db);
  t.reads.delete('v');
  expect([await t.read(), await t.read(), t.asked()]).toEqual([2, 2, 2]);
  await sql`update one set v = 3`.execute(t.db);
  t.reads.clear();
  expect([await t.read(), await t.read(), t.asked()]).toEqual([3, 3, 3]);
  await t.close();
});

test('nothing is cached if other processes write too', () => {
  const reads = new RecentReads<string, number>(false);
  reads.set('v', 1);
  expect(reads.get('v')).toBeUndefined();
});

test('values read during an open transaction are not cached beyond it', async () => {
  const t = await open();
  expect(await t.read()).toBe(1);
  let beside: Promise<number> | undefined;
  await t.db.transaction().execute(async (tx) => {
    await sql`update one set v = 2`.execute(tx);
    t.reads.clear();
    beside = t.read();
  });
  t.reads.clear();
  expect([await beside, await t.read()]).toEqual([2, 2]);
  const failed = t.db.transaction().execute(async (tx) => {
    await sql`update one set v = 3`.execute(tx);
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  expect(await t.read()).toBe(2);
  await t.close();
});

test('a change by another program is seen after a second', async () => {
  const reads = new RecentReads<string, number>(true);
  reads.set('v', 1);
  expect(reads.get('v')).toBe(1);
  await pass(999);
  expect(reads.get('v')).toBe(1);
  await pass(1);
  expect(reads.get('v')).toBeUndefined();
});

test('memory is bounded', () => {
  const reads = new RecentReads<string, number>(true);
  for (let i = 0; i < 5_000; i += 1) reads.set(`${i}`, i);
  expect(
    Array.from({ length: 5_000 }, (_, i) => reads.get(`${i}`)).filter((value) => value !== undefined).length,
  ).toBeLessThanOrEqual(1_000);
});
