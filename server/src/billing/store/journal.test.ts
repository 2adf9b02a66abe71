import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { sql } from 'kysely';
import { openDb } from '../../platform/db/open.ts';
import { lookedAt } from '../../platform/db/plans.fixture.ts';
import { execute } from '../../platform/db/statement.ts';
import type { Db } from '../../platform/db/tables.ts';
import { addKey, addUser, booksOf, engines, type TestDb } from '../engines.fixture.ts';
import { usageRow } from '../rows.ts';
import { exportOf } from './account-data.ts';
import { sumAccounts } from './accounting.ts';
import { emptyAllotments, isReservedElsewhere, keptIn, openWriter } from './allotments.ts';
import { catchUp, fileUsage } from './filing.ts';
import { answeredCalls, unroutedUsage, usageBetween } from './find-usage.ts';
import { searchIncomplete } from './incomplete.ts';
import { batchesAtOnce, fileJournal, takeBatches, whatIsDue } from './journal.ts';
import { grantCredits, pageLedger } from './ledger.ts';
import { createMonthPartitions } from './month-partitions.ts';
import { type AllotmentStore, dayOf, type UsageRow, usageColumns } from './port.ts';
import { postgresAllotmentStore } from './postgres.ts';
import { sqliteAllotmentStore } from './sqlite.ts';
import { callersOf, toolsCalled } from './tool-calls.ts';
import { countUsage, isLogged, listUsage } from './usage.ts';
import { packEntries, unpackEntries } from './usage-entries.ts';
import { keysUsed, sumDaysOfKey, usageOfKey } from './usage-of-key.ts';
import { listUsageOfKeys } from './usage-of-keys.ts';
import { sumSpans, topUsers } from './usage-spans.ts';
import { sumUsage, sumUsageOfKeys } from './usage-sums.ts';

const now = Math.floor(Date.now() / 1000);
const today = dayOf(now);

let requests = 0;
function entry(userId: number, keyId: number, more: Partial<UsageRow> = {}): UsageRow {
  requests += 1;
  const who = { requestId: `req-${requests}`, userId, keyId, modelId: 'mcp/tool' };
  const used = { usage: { promptTokens: 1, completionTokens: 1 }, endpoint: '/v1', provider: 'p', channelId: 1 };
  return { ...usageRow(who, used, 5, now), ...more };
}

/** A process that charges, and adds up only when told. */
async function openProcess(db: Db, owner: string, store: AllotmentStore) {
  await openWriter(db, owner);
  let batch = 0;
  const turn = () => {
    batch += 1;
    return { owner, batch, after: batch - 1 };
  };
  return {
    owner,
    keep: (user_id: number, need: number) =>
      store.topUp(turn(), [{ user_id, key_id: 0, need, least: need, more: false }]),
    charge: (logs: UsageRow[]) => {
      const allotments = logs.flatMap(({ user_id, key_id, quota }) => [
        { user_id, key_id: 0, paid: quota, used: quota, requests: 1 },
        ...(key_id > 0 ? [{ user_id, key_id, paid: 0, used: quota, requests: 0 }] : []),
      ]);
      return store.charge(turn(), { logs, allotments, ended: [] });
    },
    addUp: () => store.addUp?.(turn()),
  };
}

const storeOf = (engine: string, db: Db): AllotmentStore =>
  engine === 'postgres' ? postgresAllotmentStore(db) : sqliteAllotmentStore(db);

describe.each(engines)('what was charged a moment ago, on $name', (engine) => {
  let open: TestDb;
  let user: number;
  let key: number;
  let process: Awaited<ReturnType<typeof openProcess>>;
  beforeAll(async () => {
    open = await engine.open();
    await createMonthPartitions(open.db, now);
    user = await addUser(open.db, 1_000_000);
    key = await addKey(open.db, user, 0, true);
    process = await openProcess(open.db, 'me', storeOf(engine.name, open.db));
    await process.keep(user, 500_000);
  });
  afterAll(() => open.drop());

  const range = { from: now - 100, upTo: now + 100 };
  const theDay = { from: today * 86_400, upTo: (today + 1) * 86_400 };
  const keyIds = () => open.db.selectFrom('api_keys').select('id as key_id').where('id', '=', key) as never;
  const quotaOf = (rows: readonly { quota: number }[]) => rows.reduce((sum, { quota }) => sum + quota, 0);
  /** Each tells how much it sees: of every kind something that a charge of five adds to. */
  const readers: Record<string, (db: Db, last: UsageRow) => Promise<number>> = {
    'the log of a user': async (db) => quotaOf(await listUsage(db, { userId: user }, { limit: 1_000 })),
    'the log of a key': async (db) => quotaOf(await listUsage(db, { keyId: key }, { limit: 1_000 })),
    'the log of a model': async (db) => quotaOf(await listUsage(db, { modelId: 'mcp/tool' }, { limit: 1_000 })),
    'the log of everybody': async (db) => quotaOf(await listUsage(db, {}, { limit: 1_000 })),
    'the log of a turn': async (db) => quotaOf(await listUsage(db, { parentRequestId: 'turn' }, { limit: 1_000 })),
    'the log of several keys': async (db) => quotaOf(await listUsageOfKeys(db, { keyIds: keyIds() }, { limit: 1_000 })),
    'the count of the log': async (db) => 5 * (await countUsage(db, { userId: user })),
    'the count of a turn': async (db) => 5 * (await countUsage(db, { parentRequestId: 'turn' })),
    'the ledger': async (db) =>
      (await pageLedger(db, user, { limit: 1_000, offset: 0 })).entries.reduce((sum, { amount }) => sum - amount, 0),
    'sums by day': async (db) => quotaOf(await sumUsage(db, { userId: user }, 'day', today, today)),
    'sums by model': async (db) => quotaOf(await sumUsage(db, {}, 'model', today, today)),
    'sums by key': async (db) => quotaOf(await sumUsage(db, {}, 'token', today, today)),
    'sums of several keys': async (db) => quotaOf(await sumUsageOfKeys(db, keyIds(), 'day', today, today)),
    'spans of time': async (db) => (await sumSpans(db, { ...range, from: 0 }, 'model', 86_400))[0]!.sums.quota,
    'the top users': async (db) => ((await topUsers(db, { ...range, from: 0 }, 'quota', 1))[0] === user ? 5 : 0),
    'a request without a channel': async (db, last) => quotaOf(await unroutedUsage(db, last.request_id)),
    'a request by its time': async (db, last) =>
      quotaOf(await usageBetween(db, last.request_id, { userId: user }, { from: now, to: now })),
    'calls of a turn': async (db) => (await answeredCalls(db, 'turn', user))?.quota ?? 0,
    'requests that broke off': async (db) => quotaOf((await searchIncomplete(db, {}, { limit: 1_000 })).rows),
    'keys in use': async (db) => 5 * (await keysUsed(db, [key], theDay)).size,
    'accounts of a key': async (db) => {
      await fileUsage(db);
      return quotaOf(await usageOfKey(db, key, range, { limit: 1_000 }));
    },
    'sums of a key': async (db) => (await sumDaysOfKey(db, key, theDay)).quota,
    'accounts of users': async (db) => (await sumAccounts(db, [user], theDay)).get(user)!.used,
    'tools called': async (db) => 5 * (await toolsCalled(db, { firstDay: today, lastDay: today }, 9)).length,
    'callers of a tool': async (db) =>
      5 * ((await callersOf(db, 'mcp/tool', { firstDay: today, lastDay: today }, 9))[0]?.calls ?? 0),
    "a person's days": async (db) =>
      quotaOf((await Array.fromAsync(exportOf(db, user).usage_days!)).flat() as { quota: number }[]),
    "a person's log": async (db) =>
      quotaOf((await Array.fromAsync(exportOf(db, user).usage_logs!)).flat() as { quota: number }[]),
    'whether it is charged': async (db, last) => ((await isLogged(db, last)) ? 5 : 0),
    'the balance': async (db) => 1_000_000 - (await booksOf(db, user)).quota,
    'what a user has used': async (db) => {
      const row = await db.selectFrom('users_now').select('used_quota').where('id', '=', user).executeTakeFirst();
      return Number(row!.used_quota);
    },
    'what a key has used': async (db) => {
      const row = await db.selectFrom('api_keys_now').select('used_quota').where('id', '=', key).executeTakeFirst();
      return Number(row!.used_quota);
    },
    'what is left in the allotment': async (db) => 500_000 - (await keptIn(db, 'me', { user_id: user, key_id: 0 })),
  };

  let charged = 0;
  test.each(Object.keys(readers))('%s shows it', async (name) => {
    const last = entry(user, key, { channel_id: 0, parent_request_id: 'turn', status: 'interrupted' });
    expect(await process.charge([last])).toBe(true);
    charged += 5;
    const seen = await readers[name]!(open.db, last);
    // Some only tell of this one, or whether there is any.
    expect([charged, 5]).toContain(seen);
  });

  test('every file that reads the log or its sums brings them up to date first', () => {
    const exempt = new Set([
      // Parts of readers in other files.
      ...['sqlite-usage.ts', 'sqlite-sums.ts', 'sqlite-spans.ts', 'roll-up-spans.ts', 'usage-totals.ts'],
      ...[
        'filing.ts',
        'journal.ts',
        'postgres-usage.ts',
        'month-partitions.ts',
        'holds.ts',
        'allotments.ts',
        'tables.ts',
      ],
    ]);
    const reads = /usage_(logs|days|days_all|totals_all|spans_all)\b/;
    const files = readdirSync(import.meta.dir).filter(
      (file) => !/\.(test|fixture)\.ts$/.test(file) && !exempt.has(file),
    );
    const readers = files.filter((file) => reads.test(readFileSync(join(import.meta.dir, file), 'utf8')));
    expect(readers.length).toBeGreaterThan(8);
    const late = readers.filter(
      (file) => !/await (catchUp|fileUsage|catchUpSpans)\(/.test(readFileSync(join(import.meta.dir, file), 'utf8')),
    );
    expect(late).toEqual([]);
  });
});

describe.each(engines.filter(({ name }) => name === 'postgres'))('the journal on $name', (engine) => {
  let open: TestDb;
  beforeAll(async () => {
    open = await engine.open();
    await createMonthPartitions(open.db, now);
  });
  afterAll(() => open.drop());
  const waiting = async (): Promise<number> =>
    Number((await sql<{ n: number }>`select count(*) as n from usage_journal`.execute(open.db)).rows[0]!.n);

  test('is filed once, however many file it', async () => {
    const user = await addUser(open.db, 100_000);
    const process = await openProcess(open.db, 'one', storeOf('postgres', open.db));
    for (let i = 0; i < 100; i += 1) await process.charge([entry(user, 0), entry(user, 0)]);
    expect(await waiting()).toBe(100);
    const others = await Promise.all([1, 2, 3].map(() => openDb(open.where)));
    await Promise.all([open, ...others].map(({ db }) => fileJournal(db)));
    expect(await waiting()).toBe(0);
    expect(await booksOf(open.db, user)).toMatchObject({ logs: 1_000, days: 1_000 });
    await Promise.all(others.map((other) => other.close()));
  });

  test('is due after a while, unless another process files it', async () => {
    const user = await addUser(open.db, 100_000);
    const process = await openProcess(open.db, 'due', storeOf('postgres', open.db));
    expect(await whatIsDue(open.db, 0)).toBe('nothing');
    await process.charge([entry(user, 0)]);
    expect(await whatIsDue(open.db, 60_000)).toBe('later');
    await Bun.sleep(5);
    expect(await whatIsDue(open.db, 1)).toBe('now');
    const other = await openDb(open.where);
    await other.db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(728104216)`.execute(tx);
      expect(await whatIsDue(open.db, 1)).toBe('later');
    });
    await other.close();
    await fileJournal(open.db);
    expect(await whatIsDue(open.db, 0)).toBe('nothing');
  });

  test('is filed with a few looks at each entry, however many payers and deleted rows there are', async () => {
    const payers = await Promise.all(Array.from({ length: 60 }, () => addUser(open.db, 100_000)));
    const process = await openProcess(open.db, 'many', storeOf('postgres', open.db));
    const charge = () => process.charge(payers.map((user) => entry(user, 0)));
    for (let i = 0; i < 30; i += 1) await charge();
    await fileJournal(open.db);
    // What is noted after the batches that are filed, and is not added up yet, is part of every balance.
    for (let i = 0; i < 2 * batchesAtOnce; i += 1) await charge();
    const take = async () => void (await execute(open.db, takeBatches, [batchesAtOnce]));
    const [looked] = await lookedAt(open.db, take, /^with gone/);
    // Not 60 times as many.
    expect(looked!.rows).toBeLessThan(3 * 60 * 2 * batchesAtOnce);
    await sql`delete from usage_journal`.execute(open.db);
  });

  test('is read without its newest entries while a process that files it stands still', async () => {
    const user = await addUser(open.db, 100_000);
    const process = await openProcess(open.db, 'frozen', storeOf('postgres', open.db));
    await process.charge([entry(user, 0)]);
    const other = await openDb(open.where);
    const thaw = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const frozen = other.db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(728104216)`.execute(tx);
      locked.resolve();
      await thaw.promise;
    });
    await locked.promise;
    expect(await listUsage(open.db, { userId: user }, { limit: 10 })).toHaveLength(0);
    expect(
      (await open.db.selectFrom('users_now').select('quota').where('id', '=', user).executeTakeFirst())?.quota,
    ).toBe(99_995);
    thaw.resolve();
    await frozen;
    expect(await listUsage(open.db, { userId: user }, { limit: 10 })).toHaveLength(1);
    await other.close();
  });

  test('an entry that the database refuses keeps none of the others out', async () => {
    const user = await addUser(open.db, 100_000);
    const process = await openProcess(open.db, 'two', storeOf('postgres', open.db));
    await process.charge([entry(user, 0), entry(user, 0, { endpoint: 'a\0b' }), entry(user, 0)]);
    await sql`insert into usage_journal (entries, user_ids, paid) values ('no entries', '{}', '{}')`.execute(open.db);
    await process.charge([entry(user, 0)]);
    const refused: string[] = [];
    await fileJournal(open.db, (_, one) => refused.push(typeof one === 'string' ? one : one.endpoint));
    expect(refused).toEqual(['a\0b', 'no entries']);
    expect(await waiting()).toBe(0);
    // Its money is taken all the same.
    expect(await booksOf(open.db, user)).toMatchObject({ logs: 15, days: 15, used: 20 });
  });

  test('a process that takes over finds every change, of whatever version it is', async () => {
    const user = await addUser(open.db, 1_000);
    const dead = await openProcess(open.db, 'three', storeOf('postgres', open.db));
    await dead.keep(user, 400);
    await dead.charge([entry(user, 0), entry(user, 0)]);
    await dead.addUp();
    await dead.charge([entry(user, 0)]);
    expect(await isReservedElsewhere(open.db, 'me', { user_id: user, key_id: 0 })).toBe(true);
    await open.db.transaction().execute((tx) => emptyAllotments(tx, dead.owner));
    const { rows } = await sql<{ quota: number; used_quota: number; left: number }>`select quota, used_quota,
      (select count(*) from billing_changes where owner = 'three') as "left" from users where id = ${user}`.execute(
      open.db,
    );
    expect(Object.values(rows[0]!).map(Number)).toEqual([985, 15, 0]);
    // It does not know yet that it is considered dead.
    expect(await dead.charge([entry(user, 0)])).toBeNull();
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 985, used: 15, logs: 15 });
  });

  test('a batch that is written twice counts once', async () => {
    const user = await addUser(open.db, 1_000);
    const store = storeOf('postgres', open.db);
    await openWriter(open.db, 'four');
    const batch = { logs: [entry(user, 0)], allotments: [{ user_id: user, key_id: 0, paid: 5, used: 5, requests: 1 }] };
    const turn = { owner: 'four', batch: 1, after: 0 };
    expect(await store.charge(turn, { ...batch, ended: [] })).toBe(true);
    expect(await store.charge(turn, { ...batch, ended: [] })).toBeNull();
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 995, used: 5, requests: 1, logs: 5 });
  });
});

describe('entries as text', () => {
  const text = fc.string({ unit: 'grapheme' });
  const whole = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { arbitrary: fc.maxSafeNat(), weight: 1 });
  const row = fc.record(
    Object.fromEntries(
      usageColumns.map((name) => {
        if (['request_id', 'model_id', 'endpoint', 'provider', 'cost_parts', 'status'].includes(name))
          return [name, text];
        if (name === 'parent_request_id') return [name, fc.option(text)];
        return [name, name === 'balance_after' ? fc.constant(0) : whole];
      }),
    ),
  ) as unknown as fc.Arbitrary<UsageRow>;

  test('are the same when they are read', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 9 }), (rows) => {
        expect(unpackEntries(packEntries(rows))).toEqual(rows);
      }),
    );
  });

  test('of another version have the columns that both know', () => {
    const [one] = [entry(1, 2)];
    const written = JSON.parse(packEntries([one]));
    const newer = JSON.stringify({ ...written, colour: ['blue'] });
    expect(unpackEntries(newer)).toEqual([one]);
    const { cost_parts: _, ...older } = written;
    expect(unpackEntries(JSON.stringify(older))[0]).toMatchObject({ request_id: one.request_id, quota: 5 });
  });
});

describe.each(engines)('the ledger on $name', (engine) => {
  test('adds up line by line, whoever charges and whenever it is filed', async () => {
    const open = await engine.open();
    await createMonthPartitions(open.db, now);
    const store = storeOf(engine.name, open.db);
    const owners = engine.name === 'postgres' ? ['a', 'b', 'c'] : ['a'];
    const processes = await Promise.all(owners.map((owner) => openProcess(open.db, owner, store)));
    const step = fc.record({
      who: fc.nat(2),
      costs: fc.array(fc.nat(9), { maxLength: 5 }),
      after: fc.constantFrom('nothing', 'file', 'add up', 'grant'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const user = await addUser(open.db, 0);
        const grant = { userId: user, quota: 10_000, note: '', by: 1 };
        await grantCredits(open.db, grant, now);
        for (const process of processes) await process.keep(user, 1_000);
        for (const { who, costs, after } of steps) {
          const process = processes[who % processes.length]!;
          if (costs.length > 0) await process.charge(costs.map((quota) => entry(user, 0, { quota })));
          if (after === 'file') await catchUp(open.db);
          if (after === 'add up') await process.addUp();
          if (after === 'grant') await grantCredits(open.db, { ...grant, quota: 7 }, now);
        }
        const { entries } = await pageLedger(open.db, user, { limit: 100, offset: 0 });
        const lines = entries.toReversed();
        let balance = 0;
        for (const { amount, balance_after } of lines) {
          balance += amount;
          expect(balance_after).toBe(balance);
        }
        expect((await booksOf(open.db, user)).quota).toBe(balance);
      }),
      { numRuns: engine.name === 'postgres' ? 15 : 30 },
    );
    await open.drop();
  }, 120_000);
});
