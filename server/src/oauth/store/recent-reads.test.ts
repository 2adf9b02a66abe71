import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { openDb } from '../../platform/db/open.ts';
import { RecentReads } from './recent-reads.ts';

async function open() {
  const { db, readSync, rowsWritten, close } = await openDb({ path: ':memory:' });
  await sql`create table one (v bigint not null)`.execute(db);
  await sql`insert into one (v) values (1)`.execute(db);
  const reads = new RecentReads<number>(() => rowsWritten!());
  let asked = 0;
  const read = async () => {
    const known = reads.get('v');
    if (known !== undefined) return known;
    asked += 1;
    const row = readSync!<{ v: number }>('select v from one', []);
    if (row instanceof Promise) return (await row)!.v;
    reads.set('v', row!.v);
    return row!.v;
  };
  return { db, close, read, asked: () => asked };
}

test('what was read stands until something is written, wherever', async () => {
  const t = await open();
  expect([await t.read(), await t.read(), t.asked()]).toEqual([1, 1, 1]);
  await sql`create table other (v bigint)`.execute(t.db);
  await sql`insert into other (v) values (7)`.execute(t.db);
  expect([await t.read(), await t.read(), t.asked()]).toEqual([1, 1, 2]);
  await sql`update one set v = 2`.execute(t.db);
  expect([await t.read(), await t.read(), t.asked()]).toEqual([2, 2, 3]);
  await t.close();
});

test('nothing read beside an open transaction outlives it', async () => {
  const t = await open();
  expect(await t.read()).toBe(1);
  let beside: Promise<number> | undefined;
  await t.db.transaction().execute(async (tx) => {
    await sql`update one set v = 2`.execute(tx);
    beside = t.read();
  });
  expect([await beside, await t.read()]).toEqual([2, 2]);
  const failed = t.db.transaction().execute(async (tx) => {
    await sql`update one set v = 3`.execute(tx);
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  expect(await t.read()).toBe(2);
  await t.close();
});

test('another program’s change is seen after a second', async () => {
  const reads = new RecentReads<number>(() => 1);
  reads.set('v', 1);
  expect(reads.get('v')).toBe(1);
  await Bun.sleep(1_050);
  expect(reads.get('v')).toBeUndefined();
});

test('memory stays bounded', () => {
  const reads = new RecentReads<number>(() => 1);
  for (let i = 0; i < 5_000; i += 1) reads.set(`${i}`, i);
  expect(
    Array.from({ length: 5_000 }, (_, i) => reads.get(`${i}`)).filter((value) => value !== undefined).length,
  ).toBeLessThanOrEqual(1_000);
});
