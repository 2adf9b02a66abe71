import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { migrate } from '../../platform/db/migrate.ts';
import { migrations } from '../../platform/db/migrations/index.ts';
import { type OpenDb, openDb } from '../../platform/db/open.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { engines, type TestDb } from '../engines.fixture.ts';
import { usageRow } from '../rows.ts';
import { openWriter } from './allotments.ts';
import { insertFailures } from './failures.ts';
import { catchUp } from './filing.ts';
import { settleIn } from './holds.ts';
import { createMonthPartitions } from './month-partitions.ts';
import { postgresAllotmentStore } from './postgres.ts';
import { fileSpans, mergeOldSpans } from './roll-up-spans.ts';
import { durationOf, noSums } from './span-sums.ts';
import { sqliteAllotmentStore } from './sqlite.ts';
import { sweepUsage } from './usage.ts';
import { type SpanFilter, type SpanGrouping, sumSpans, topUsers } from './usage-spans.ts';

const hour = 3_600;
const day = 24 * hour;
/** Midnight, UTC. */
const begin = 19_700 * day;
const days = 12;
const all = { from: begin, upTo: begin + days * day };

interface Asked {
  user: number;
  model: number;
  channel: number;
  /** Minutes after the first midnight. */
  minute: number;
  cost: number;
  ms: number;
  failed: boolean;
}

const at = (minute: number): number => begin + minute * 60;
const modelOf = ({ model }: Asked): string => `model-${model}`;

let requests = 0;
function usedRow(asked: Asked) {
  requests += 1;
  const who = { requestId: `req-${requests}`, userId: asked.user, keyId: 0, modelId: modelOf(asked) };
  const detail = { endpoint: '/v1', provider: 'p', channelId: asked.channel, durationMs: asked.ms };
  const usage = { promptTokens: 3, completionTokens: 4 };
  return usageRow(who, { ...detail, usage }, asked.cost, at(asked.minute));
}

const failedRow = (asked: Asked) => ({
  ...{ request_id: 'failed', user_id: asked.user, key_id: 0, model_id: modelOf(asked), endpoint: '/v1' },
  ...{ status: 502, code: 'provider_error', message: 'down', provider: 'p', channel_id: asked.channel },
  ...{ upstream_status: 500, upstream_message: 'down', duration_ms: 1, parent_request_id: null },
  created_at: at(asked.minute),
});

class Process {
  static count = 0;
  #batch = 0;
  readonly owner: string;

  constructor(readonly db: Db) {
    Process.count += 1;
    this.owner = `spans-${Process.count}`;
  }

  async charge(asked: Asked[]): Promise<void> {
    this.#batch += 1;
    const store = engineOf(this.db) === 'postgres' ? postgresAllotmentStore(this.db) : sqliteAllotmentStore(this.db);
    const turn = { owner: this.owner, batch: this.#batch, after: this.#batch - 1 };
    expect(await store.charge(turn, { logs: asked.map(usedRow), allotments: [], ended: [] })).toBe(true);
  }
}

async function opened(db: Db): Promise<Process> {
  const process = new Process(db);
  await openWriter(db, process.owner);
  return process;
}

type Sums = Record<string, { requests: number; failures: number; quota: number; duration_ms: number }>;

const groupOf = (asked: Asked, by: SpanGrouping): string | number =>
  ({ user: asked.user, model: modelOf(asked), channel: asked.channel })[by];

function counted(asked: Asked[], filter: SpanFilter, by: SpanGrouping): Sums {
  const sums: Sums = {};
  for (const one of asked) {
    const seconds = at(one.minute);
    if (seconds < filter.from || seconds >= filter.upTo) continue;
    if (filter.userId !== undefined && filter.userId !== one.user) continue;
    if (filter.modelId !== undefined && filter.modelId !== modelOf(one)) continue;
    if (filter.channelId !== undefined && filter.channelId !== one.channel) continue;
    const name = `${Math.floor(seconds / day)} ${groupOf(one, by)}`;
    sums[name] ??= { requests: 0, failures: 0, quota: 0, duration_ms: 0 };
    if (one.failed) sums[name].failures += 1;
    else {
      sums[name].requests += 1;
      sums[name].quota += one.cost;
      sums[name].duration_ms += one.ms;
    }
  }
  return sums;
}

async function kept(db: Db, filter: SpanFilter, by: SpanGrouping): Promise<Sums> {
  const found = await sumSpans(db, filter, by, day);
  return Object.fromEntries(
    found.map(({ at, group, sums: { requests, failures, quota, duration_ms } }) => [
      `${at / day} ${group}`,
      { requests, failures, quota, duration_ms },
    ]),
  );
}

async function expectExact(db: Db, asked: Asked[]): Promise<void> {
  for (const by of ['model', 'channel'] as const)
    for (const filter of [all, { ...all, userId: 2 }, { ...all, modelId: 'model-1' }, { ...all, channelId: 0 }])
      expect(await kept(db, filter, by)).toEqual(counted(asked, filter, by));
  const spent = new Map<number, number>();
  for (const { user, cost, failed } of asked) if (!failed) spent.set(user, (spent.get(user) ?? 0) + cost);
  const mostExpensive = [...spent].filter(([, cost]) => cost > 0).toSorted(([a, x], [b, y]) => y - x || a - b);
  expect(await topUsers(db, all, 'quota', 2)).toEqual(mostExpensive.slice(0, 2).map(([user]) => user));
}

const asked: fc.Arbitrary<Asked> = fc.record({
  user: fc.integer({ min: 1, max: 4 }),
  model: fc.nat(2),
  channel: fc.nat(2),
  minute: fc.nat(days * 24 * 60 - 1),
  cost: fc.nat(9),
  ms: fc.nat(100_000),
  failed: fc.constant(false),
});
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('charge' as const), asked: fc.array(asked), other: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fail' as const), asked: fc.array(asked, { minLength: 1 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('settle' as const), asked }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('file' as const), other: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('look' as const), other: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('join' as const), minute: fc.nat(days * 24 * 60) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sweep' as const), minute: fc.nat(days * 24 * 60) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Runs a step in one of two processes; the second knows nothing of what the first has in memory. */
async function take(processes: Process[], one: Step): Promise<Asked[]> {
  const process = processes['other' in one && one.other ? 1 : 0]!;
  const { db } = process;
  if (one.kind === 'charge' && one.asked.length > 0) {
    await process.charge(one.asked);
    return one.asked;
  }
  if (one.kind === 'fail') {
    await insertFailures(db, one.asked.map(failedRow));
    return one.asked.map((asked) => ({ ...asked, failed: true }));
  }
  if (one.kind === 'settle') {
    const held = { user_id: one.asked.user, key_id: 0, amount: one.asked.cost, key_amount: -1, levels: '' };
    await db.transaction().execute((tx) => settleIn(tx, held, usedRow(one.asked)));
    return [one.asked];
  }
  if (one.kind === 'file') {
    await fileSpans(db);
  }
  if (one.kind === 'join') while (await mergeOldSpans(db, at(one.minute)));
  if (one.kind === 'sweep') await sweepUsage(db, at(one.minute));
  return [];
}

describe.each(engines)('usage spans on $name', (engine) => {
  let open: TestDb;
  let other: OpenDb;
  beforeAll(async () => {
    open = await engine.open();
    other = await openDb(open.where);
    await createMonthPartitions(open.db, begin);
  });
  afterAll(async () => {
    await other.close();
    await open.drop();
  });

  async function clear(): Promise<void> {
    for (const { db } of [open, other]) {
      await catchUp(db);
      await fileSpans(db);
    }
    for (const table of ['usage_logs', 'failed_requests', 'billing_writers'] as const)
      await sql`delete from ${sql.table(table)}`.execute(open.db);
    if (engine.name === 'postgres') await sql`delete from usage_spans_new`.execute(open.db);
    await open.db.deleteFrom('usage_spans').execute();
  }

  test('match requests and failures, for any sequence of operations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        await clear();
        const processes = [await opened(open.db), await opened(other.db)];
        const truth: Asked[] = [];
        for (const one of steps) {
          truth.push(...(await take(processes, one)));
          if (one.kind === 'look') await expectExact(processes[one.other ? 1 : 0]!.db, truth);
        }
        await expectExact(open.db, truth);
      }),
      { numRuns: engine.name === 'sqlite' ? 40 : 12 },
    );
  }, 300_000);

  test('are not written by a charge; old ones are merged', async () => {
    await clear();
    const process = await opened(open.db);
    const spans = () => open.db.selectFrom('usage_spans').select(['user_id', 'starts_at', 'length']).execute();
    const one = { user: 1, model: 1, channel: 1, cost: 5, ms: 700, failed: false };
    await process.charge([1, 4, 6, 61].map((minute) => ({ ...one, minute })));
    expect(await spans()).toEqual([]);
    await catchUp(open.db);
    await fileSpans(open.db);
    expect((await spans()).filter(({ user_id }) => user_id === 1)).toHaveLength(3);
    while (await mergeOldSpans(open.db, begin + 7 * hour));
    const lengths = async () => (await spans()).filter(({ user_id }) => user_id === 0).map(({ length }) => length);
    expect((await lengths()).toSorted((a, b) => a - b)).toEqual([300, hour]);
    while (await mergeOldSpans(open.db, begin + 20 * day));
    expect(await lengths()).toEqual([day]);
  });

  test('handle more users than one batch', async () => {
    await clear();
    const process = await opened(open.db);
    const many = Array.from({ length: 1_300 }, (_, n) => ({
      ...{ user: n + 1, model: 0, channel: 1, minute: 3, cost: n === 1_250 ? 9 : 1, ms: 10, failed: false },
    }));
    await process.charge(many);
    await catchUp(open.db);
    await fileSpans(open.db);
    expect((await topUsers(open.db, all, 'quota', 3))[0]).toBe(1_251);
    while (await mergeOldSpans(open.db, begin + 20 * day));
    const lengths = await open.db.selectFrom('usage_spans').select('length').distinct().execute();
    expect(lengths).toEqual([{ length: day }]);
    expect((await topUsers(open.db, all, 'quota', 3))[0]).toBe(1_251);
  }, 60_000);

  test('names invented by callers are not stored', async () => {
    await clear();
    const base = { ...failedRow({ user: 1, model: 0, channel: 1, minute: 1, cost: 0, ms: 0, failed: true }) };
    const nobody = { provider: null, channel_id: null, upstream_status: null, upstream_message: null };
    const names = Array.from({ length: 20 }, (_, n) => ({ ...base, ...nobody, model_id: `made-up-${n}` }));
    await insertFailures(open.db, [
      ...names.map((row) => ({ ...row, status: 404, code: 'model_not_found' })),
      { ...base, ...nobody, model_id: 'acme/dear', status: 403, code: 'insufficient_user_quota' },
    ]);
    expect(Object.keys(await kept(open.db, all, 'model')).toSorted()).toEqual(['19700 ', '19700 acme/dear']);
  });
});

describe.each(engines)('usage from before spans existed on $name', (engine) => {
  test('is available by day, once, including entries not yet indexed', async () => {
    const open = await engine.open(migrations.filter(({ name }) => name !== '0038-usage-spans'));
    try {
      const { db } = open;
      const now = Math.floor(Date.now() / 1000);
      await createMonthPartitions(db, now);
      const process = await opened(db);
      const minute = Math.floor((now - begin) / 60) - 24 * 60;
      const one = { user: 1, model: 1, channel: 1, minute, cost: 5, ms: 700, failed: false };
      await process.charge([one, { ...one, user: 2 }]);
      await catchUp(db);
      await migrate(db);
      await process.charge([{ ...one, minute: minute + 60 }]);
      await fileSpans(db);
      const found = await sumSpans(db, { from: now - 3 * day, upTo: now + day }, 'model', day);
      const total = (name: 'requests' | 'quota' | 'timed') => found.reduce((sum, { sums }) => sum + sums[name], 0);
      expect([total('requests'), total('quota'), total('timed')]).toEqual([3, 15, 1]);
      expect(await topUsers(db, { from: now - 3 * day, upTo: now + day }, 'quota', 5)).toEqual([1, 2]);
    } finally {
      await open.drop();
    }
  });
});

test('latency percentiles are estimated from a histogram', () => {
  expect(durationOf(noSums(), 0.95)).toBeNull();
  const even = { ...noSums(), timed: 100, under_250: 50, under_1000: 50 };
  expect(durationOf(even, 0.5)).toBe(250);
  expect(durationOf(even, 0.95)).toBe(950);
  expect(durationOf({ ...noSums(), timed: 4 }, 1)).toBe(128_000);
});
