import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test';
import { sql } from 'kysely';
import { sqliteOf } from '../../platform/db/sqlite-dialect.ts';
import { engines, type TestDb } from '../engines.fixture.ts';
import { usageRow } from '../rows.ts';
import { exportOf } from './account-data.ts';
import { openWriter } from './allotments.ts';
import { pageLedger } from './ledger.ts';
import type { AllotmentStore } from './port.ts';
import { sqliteAllotmentStore } from './sqlite.ts';
import { countUsage, listUsage } from './usage.ts';

let open: TestDb;
let store: AllotmentStore;
let batches = 0;
beforeAll(async () => {
  open = await engines.find(({ name }) => name === 'sqlite')!.open();
  store = sqliteAllotmentStore(open.db);
  await openWriter(open.db, 'me');
});
afterAll(() => open.drop());

const used = { usage: { promptTokens: 1, completionTokens: 1 }, endpoint: '/v1' };
let requests = 0;
/** Writes one request per user in one batch. */
const ask = (users: number[], at: number) => {
  const logs = users.map((userId) => {
    requests += 1;
    const who = { requestId: `req-${requests}`, userId, keyId: userId + 1_000, modelId: 'acme/large' };
    return usageRow(who, used, 5, 1_700_000_000 + at);
  });
  batches += 1;
  return store.charge({ owner: 'me', batch: batches, after: batches - 1 }, { logs, allotments: [], ended: [] });
};
const unfiled = async (): Promise<number> => {
  const { rows } = await sql<{ n: number }>`select count(*) as n from usage_logs where filed = 0`.execute(open.db);
  return rows[0]!.n;
};
const listed = async (filter: Parameters<typeof listUsage>[1]): Promise<number[]> =>
  (await listUsage(open.db, filter, { limit: 10 })).map(({ created_at }) => created_at - 1_700_000_000);

test('entries not yet indexed are found by every kind of query', async () => {
  await ask([1, 2, 3], 10);
  await ask([3, 1, 2], 20);
  expect(await unfiled()).toBe(6);
  expect(await listed({ userId: 1 })).toEqual([20, 10]);
  expect(await unfiled()).toBe(0);
  await ask([1, 2, 3], 30);
  expect(await listed({ keyId: 1_002 })).toEqual([30, 20, 10]);
  await ask([1, 2, 3], 40);
  const cut = { from: 1_700_000_015, to: 1_700_000_040 };
  expect(await countUsage(open.db, { userId: 3, ...cut })).toBe(3);
  await ask([1, 2, 3], 50);
  expect((await pageLedger(open.db, 2, { limit: 10, offset: 0 })).total).toBe(5);
  await ask([1, 2, 3], 60);
  const exported = await Array.fromAsync(exportOf(open.db, 1).usage_logs!);
  expect(exported.flat()).toHaveLength(6);
  expect(exported.flat()[0]).not.toHaveProperty('filed');
  expect(await unfiled()).toBe(0);
});

test('many batches index themselves, of many users or of one', async () => {
  for (let n = 0; n < 150; n += 1) await ask([4, 4, 4, 4], 70);
  expect(await unfiled()).toBeLessThan(500);
  expect(await countUsage(open.db, { userId: 4, from: 1_700_000_070, to: 1_700_000_070 })).toBe(600);
  for (let n = 0; n < 300; n += 1) await ask([4, 5], 71);
  expect(await unfiled()).toBeLessThan(500);
  expect(await countUsage(open.db, { userId: 5, from: 1_700_000_071, to: 1_700_000_071 })).toBe(300);
});

test('entries of a user or key are looked up in the indexes', async () => {
  const other = await engines.find(({ name }) => name === 'sqlite')!.open();
  await openWriter(other.db, 'me');
  const charged = usageRow({ requestId: 'a', userId: 4, keyId: 4, modelId: 'm' }, used, 5, 1_700_000_000);
  const batch = { logs: [charged], allotments: [], ended: [] };
  await sqliteAllotmentStore(other.db).charge({ owner: 'me', batch: 1, after: 0 }, batch);
  const preparing = spyOn(Database.prototype, 'prepare');
  await listUsage(other.db, { userId: 4 }, { limit: 10 });
  await listUsage(other.db, { keyId: 4 }, { limit: 10 });
  await countUsage(other.db, { userId: 4, from: 1, to: 2 });
  await pageLedger(other.db, 4, { limit: 10, offset: 0 });
  await Array.fromAsync(exportOf(other.db, 4).usage_logs!);
  const texts = preparing.mock.calls.map(([text]) => text).filter((text) => text.includes('from "usage_logs" where'));
  preparing.mockRestore();
  expect(texts).toHaveLength(6);
  for (const text of texts) {
    const plan = sqliteOf(other.db).writer.query<{ detail: string }, []>(`explain query plan ${text}`).all();
    const steps = plan.map(({ detail }) => detail).filter((detail) => detail.includes('usage_logs'));
    expect(steps).toEqual([expect.stringMatching(/^SEARCH usage_logs USING (COVERING )?INDEX usage_logs_(user|key) /)]);
    expect(plan.some(({ detail }) => detail.includes('TEMP B-TREE'))).toBe(false);
  }
  await other.drop();
});

test('reads return indexed entries while nothing can be written', async () => {
  await ask([6, 7], 80);
  expect(await listed({ userId: 6 })).toEqual([80]);
  await ask([6, 7], 90);
  sqliteOf(open.db).writer.run('pragma query_only = 1');
  expect(await listed({ userId: 6 })).toEqual([80]);
  sqliteOf(open.db).writer.run('pragma query_only = 0');
  expect(await listed({ userId: 6 })).toEqual([90, 80]);
});
