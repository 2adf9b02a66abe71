import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { migrate } from '../../platform/db/migrate.ts';
import { migrations } from '../../platform/db/migrations/index.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { engines, type TestDb } from '../engines.fixture.ts';
import { usageRow } from '../rows.ts';
import { emptyAllotments, openWriter } from './allotments.ts';
import { catchUp, fileUsage } from './filing.ts';
import { settleIn } from './holds.ts';
import { createMonthPartitions } from './month-partitions.ts';
import { type AllotmentStore, secondsPerDay } from './port.ts';
import { postgresAllotmentStore } from './postgres.ts';
import { sqliteAllotmentStore } from './sqlite.ts';
import { sweepUsage } from './usage.ts';
import { sumUsage, type UsageSum } from './usage-sums.ts';
import { addUpPreviousDay, fileSums, firstWholeDay } from './usage-totals.ts';

const firstDay = 19_700;
const days = 70;
const atDay = (day: number): number => (firstDay + day) * secondsPerDay + 7;

interface Asked {
  user: number;
  model: number;
  day: number;
  cost: number;
}

let requests = 0;
const rowOf = ({ user, model, day, cost }: Asked) => {
  requests += 1;
  const who = { requestId: `req-${requests}`, userId: user, keyId: user % 2, modelId: `model-${model}` };
  return usageRow(who, { usage: { promptTokens: 3, completionTokens: cost }, endpoint: '/v1' }, cost, atDay(day));
};

/** A writing process that can be killed. */
class Process {
  static count = 0;
  readonly owner: string;
  readonly #store: AllotmentStore;
  #batch = 0;

  constructor(readonly db: Db) {
    Process.count += 1;
    this.owner = `process-${Process.count}`;
    this.#store = engineOf(db) === 'postgres' ? postgresAllotmentStore(db) : sqliteAllotmentStore(db);
  }

  async charge(asked: Asked[]): Promise<void> {
    this.#batch += 1;
    const turn = { owner: this.owner, batch: this.#batch, after: this.#batch - 1 };
    const written = await this.#store.charge(turn, { logs: asked.map(rowOf), allotments: [], ended: [] });
    expect(written).toBe(true);
  }
}

async function opened(db: Db): Promise<Process> {
  const process = new Process(db);
  await openWriter(db, process.owner);
  return process;
}

const byGroup = (sums: UsageSum[]): UsageSum[] => sums.toSorted((a, b) => (a.group < b.group ? -1 : 1));

/** The sums per user, which outlive the log, added up independently. */
async function counted(db: Db, group: 'day' | 'model_id'): Promise<UsageSum[]> {
  const { rows } = await sql<UsageSum>`select ${sql.ref(group)} as "group", sum(requests) as requests,
      sum(prompt_tokens) as prompt_tokens, sum(completion_tokens) as completion_tokens, sum(quota) as quota
    from usage_days_all group by 1`.execute(db);
  const entries = rows.map(({ group, ...sums }) => [group, ...Object.values(sums).map(Number)] as const);
  return byGroup(
    entries.map(([group, requests, prompt_tokens, completion_tokens, quota]) => ({
      ...{ group, requests: requests!, prompt_tokens: prompt_tokens! },
      ...{ completion_tokens: completion_tokens!, quota: quota! },
    })),
  );
}

async function expectExact(db: Db): Promise<void> {
  const asked = (groupBy: 'day' | 'model') => sumUsage(db, {}, groupBy, firstDay, firstDay + days);
  expect(byGroup(await asked('day'))).toEqual(await counted(db, 'day'));
  expect(byGroup(await asked('model'))).toEqual(await counted(db, 'model_id'));
}

/** What the log has, as long as nothing was swept. */
async function logged(db: Db): Promise<[number, number]> {
  const { rows } = await sql<{
    n: number;
    quota: number;
  }>`select count(*) as n, coalesce(sum(quota), 0) as quota from usage_logs`.execute(db);
  return [Number(rows[0]!.n), Number(rows[0]!.quota)];
}

const asked = fc.record({
  user: fc.integer({ min: 1, max: 4 }),
  model: fc.nat(2),
  day: fc.nat(days - 1),
  cost: fc.nat(9),
});
const which = fc.nat(2);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('charge' as const), which, asked: fc.array(asked) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('settle' as const), asked }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('file' as const), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sweep' as const), day: fc.nat(days) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('before' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

describe.each(engines)('totals of all users on $name', (engine) => {
  let open: TestDb;
  beforeAll(async () => {
    open = await engine.open();
    await createMonthPartitions(open.db, atDay(0));
  });
  afterAll(() => open.drop());

  async function clear(): Promise<void> {
    for (const table of ['usage_logs', 'usage_days', 'usage_days_open', 'usage_totals', 'billing_writers'] as const)
      await sql`delete from ${sql.table(table)}`.execute(open.db);
    if (engine.name === 'postgres')
      for (const table of ['usage_totals_new', 'usage_journal'] as const)
        await sql`delete from ${sql.table(table)}`.execute(open.db);
    await sql`update usage_totals_whole set first_day = 0`.execute(open.db);
  }

  async function take(processes: Process[], one: Step): Promise<void> {
    const { db } = open;
    const at = 'which' in one ? one.which % processes.length : 0;
    if (one.kind === 'charge' && one.asked.length > 0) await processes[at]!.charge(one.asked);
    if (one.kind === 'settle') {
      const held = { user_id: one.asked.user, key_id: 0, amount: one.asked.cost, key_amount: -1, levels: '' };
      await db.transaction().execute((tx) => settleIn(tx, held, rowOf(one.asked)));
    }
    if (one.kind === 'file') {
      await fileSums(db);
      await fileUsage(db);
    }
    if (one.kind === 'kill') {
      await db.transaction().execute((tx) => emptyAllotments(tx, processes[at]!.owner));
      // It is dead, even if it does not know.
      await fileSums(db);
      processes[at] = await opened(db);
    }
    if (one.kind === 'sweep') await sweepUsage(db, atDay(one.day));
    if (one.kind === 'before') {
      // The state after the migration.
      await sql`update usage_totals_whole set first_day = ${firstDay + days}`.execute(db);
      await addUpPreviousDay(db);
    }
  }

  test('equal the sums of each user, for any sequence of operations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        await clear();
        const count = engine.name === 'postgres' ? 3 : 1;
        const processes: Process[] = [];
        while (processes.length < count) processes.push(await opened(open.db));
        const swept = steps.some(({ kind }) => kind === 'sweep');
        for (const one of steps) {
          await take(processes, one);
          await expectExact(open.db);
        }
        while (await addUpPreviousDay(open.db)) await expectExact(open.db);
        await fileSums(open.db);
        await fileUsage(open.db);
        await expectExact(open.db);
        const sums = await sumUsage(open.db, {}, 'day', firstDay, firstDay + days);
        const total = (name: 'requests' | 'quota') => sums.reduce((sum, one) => sum + one[name], 0);
        if (!swept) expect([total('requests'), total('quota')]).toEqual(await logged(open.db));
      }),
      { numRuns: engine.name === 'sqlite' ? 60 : 25 },
    );
  }, 300_000);

  test('are written asynchronously: a charge changes none', async () => {
    await clear();
    const process = await opened(open.db);
    await process.charge([{ user: 1, model: 1, day: 3, cost: 5 }]);
    const kept = () => open.db.selectFrom('usage_totals').selectAll().execute();
    expect(await kept()).toEqual([]);
    await expectExact(open.db);
    await fileSums(open.db);
    await fileUsage(open.db);
    expect(await kept()).toHaveLength(1);
    await expectExact(open.db);
  });

  test('processes that charge, index and are considered dead concurrently lose and double nothing', async () => {
    await clear();
    const count = engine.name === 'postgres' ? 3 : 1;
    let running = count;
    const work = async (n: number) => {
      let process = await opened(open.db);
      for (let i = 0; i < 40; i += 1) {
        const batch = Array.from({ length: 8 }, (_, k) => ({
          user: 1 + ((i + k + n) % 5),
          model: k % 2,
          day: 5,
          cost: 1,
        }));
        await process.charge(batch);
        if (i % 13 !== 12) continue;
        const { owner } = process;
        await Promise.all([fileSums(open.db), open.db.transaction().execute((tx) => emptyAllotments(tx, owner))]);
        process = await opened(open.db);
      }
      running -= 1;
    };
    const file = async () => {
      while (running > 0) {
        await fileSums(open.db);
        await fileUsage(open.db);
        await Bun.sleep(1);
      }
    };
    await Promise.all([...Array.from({ length: count }, (_, n) => work(n)), file(), file()]);
    await expectExact(open.db);
    expect(await logged(open.db)).toEqual([count * 320, count * 320]);
    const [day] = await sumUsage(open.db, {}, 'day', firstDay, firstDay + days);
    expect(day).toMatchObject({ requests: count * 320, quota: count * 320 });
  }, 100_000);
});

describe.each(engines)('sums from before totals existed on $name', (engine) => {
  test('are added day by day, and the summary is correct throughout', async () => {
    // Later migrations are needed: the current writer uses every column of the log.
    const open = await engine.open(migrations.filter(({ name }) => name !== '0022-totals'));
    try {
      const { db } = open;
      await createMonthPartitions(db, atDay(0));
      const process = await opened(db);
      const dead = await opened(db);
      const used = [0, 3, 3, 9, 40, 41].map((day) => ({ user: 1 + (day % 3), model: day % 2, day, cost: day }));
      await dead.charge(used);
      await db.transaction().execute((tx) => emptyAllotments(tx, dead.owner));
      await process.charge(used);
      await catchUp(db);
      await migrate(db);
      expect(await firstWholeDay(db)).toBe(firstDay + 42);
      await expectExact(db);
      let steps = 0;
      for (; await addUpPreviousDay(db); steps += 1) {
        await process.charge([{ user: 2, model: steps % 3, day: 9, cost: 4 }]);
        await expectExact(db);
        if (steps % 2 === 0) await fileSums(db);
        await expectExact(db);
      }
      expect([steps, await firstWholeDay(db)]).toEqual([5, 0]);
      await expectExact(db);
    } finally {
      await open.drop();
    }
  });
});
