import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { manualClock } from '../lib/clock.ts';
import { costOf, type Price, type Usage } from '../lib/money.ts';
import type { Billing } from './billing.ts';
import { billOf, packCosts } from './cost-parts.ts';
import { addUser, engines, openTestBilling, type TestDb } from './engines.fixture.ts';
import { listUsage } from './store/usage.ts';
import { usageCsv } from './usage-csv.ts';
import { viewUsage } from './views.ts';

const price: Price = {
  promptPrice: 3,
  completionPrice: 15,
  requestPrice: 0.01,
  searchPrice: 0.014,
  parts: { cacheRead: 0.3, cacheWrite: 3.75, cacheWrite1h: 6, audioIn: 32, audioOut: 64, imageIn: 5 },
};
const usage: Usage = {
  promptTokens: 1000,
  completionTokens: 200,
  cacheReadTokens: 300,
  cacheWriteTokens: 100,
  cacheWrite1hTokens: 50,
  audioInTokens: 40,
  imageInTokens: 10,
  reasoningTokens: 60,
  audioOutTokens: 20,
  units: 1,
  searches: 3,
  estimated: true,
};

test('a plain bill is stored as two numbers, and one of units as one', () => {
  const plain = { promptPrice: 2, completionPrice: 4, requestPrice: 0 };
  expect(packCosts(plain, { promptTokens: 100, completionTokens: 15 }, 130)).toBe('100,30');
  expect(packCosts(undefined, { promptTokens: 0, completionTokens: 0, units: 5 }, 700)).toBe(',,700');
});

test('the short form of a plain bill equals the long one', () => {
  const rate = fc.double({ min: 0, max: 200, noNaN: true });
  const count = fc.nat({ max: 2_000_000 });
  fc.assert(
    fc.property(rate, rate, count, count, (promptPrice, completionPrice, promptTokens, completionTokens) => {
      const short: Price = { promptPrice, completionPrice, requestPrice: 0 };
      const used = { promptTokens, completionTokens };
      const charged = costOf(short, used);
      expect(packCosts(short, used, charged)).toBe(packCosts({ ...short, parts: {} }, used, charged));
    }),
    { numRuns: 5_000 },
  );
});

test('unknown costs, and costs that differ from the charge, are omitted', () => {
  const plain = { promptPrice: 2, completionPrice: 4, requestPrice: 0 };
  const used = { promptTokens: 100, completionTokens: 15 };
  expect(packCosts(undefined, used, 130)).toBe('');
  expect(packCosts(plain, used, 131)).toBe('');
  expect(billOf(used, '', 130)).toEqual([
    { part: 'prompt', tokens: 100, cost: null },
    { part: 'completion', tokens: 15, cost: null },
  ]);
  // Each part of a free request costs nothing.
  expect(billOf(used, '', 0).map(({ cost }) => cost)).toEqual([0, 0]);
});

test('the parts of a stored bill add up to the charge and to all tokens', () => {
  const amount = fc.nat(1_000_000);
  const names = [
    'searches',
    'promptTokens',
    'completionTokens',
    'cacheReadTokens',
    'cacheWrite1hTokens',
    'reasoningTokens',
  ];
  fc.assert(
    fc.property(fc.record(Object.fromEntries(names.map((name) => [name, amount]))), (record) => {
      const used = record as unknown as Usage;
      const charged = costOf(price, used);
      const bill = billOf(used, packCosts(price, used, charged), charged);
      expect(bill.reduce((sum, { cost }) => sum + cost!, 0)).toBe(charged);
      expect(bill.reduce((sum, { tokens = 0 }) => sum + tokens, 0)).toBe(used.promptTokens + used.completionTokens);
    }),
    { numRuns: 5_000 },
  );
}, 300_000);

describe.each(engines)('the usage log on $name', (engine) => {
  let open: TestDb;
  let billing: Billing;
  beforeAll(async () => {
    open = await engine.open();
    billing = await openTestBilling(open, manualClock());
  });
  afterAll(async () => {
    await billing.stop();
    await open.drop();
  });

  async function settled(
    balance: number,
    cost: number,
  ): Promise<{ userId: number; log: ReturnType<typeof viewUsage> }> {
    const userId = await addUser(open.db, balance);
    const of = { requestId: `r-${userId}`, userId, keyId: null, keyUnlimited: true, modelId: 'm' };
    const hold = await billing.hold({ ...of, amount: 10 });
    await billing.settle(hold, { cost, usage, price, endpoint: '/v1' });
    return { userId, log: viewUsage((await listUsage(open.db, { userId }, { limit: 1 }))[0]!) };
  }
  const cost = costOf(price, usage);
  const parts = [
    { part: 'cache_read', tokens: 300, cost: 45 },
    // 187.5: the only half, so the unit gained by rounding goes here.
    { part: 'cache_write', tokens: 100, cost: 188 },
    { part: 'cache_write_1h', tokens: 50, cost: 150 },
    { part: 'audio_in', tokens: 40, cost: 640 },
    { part: 'image_in', tokens: 10, cost: 25 },
    { part: 'prompt', tokens: 500, cost: 750 },
    { part: 'reasoning', tokens: 60, cost: 450 },
    { part: 'audio_out', tokens: 20, cost: 640 },
    { part: 'completion', tokens: 120, cost: 900 },
    { part: 'request', units: 1, cost: 5000 },
    { part: 'search', units: 3, cost: 21_000 },
  ];

  test('has the tokens and the cost of each part', async () => {
    const { userId, log } = await settled(1_000_000, cost);
    expect(log).toMatchObject({
      quota: cost,
      estimated: true,
      audio_out_tokens: 20,
      image_in_tokens: 10,
      web_searches: 3,
    });
    expect(log.parts).toEqual(parts as never);
    const csv = (await Array.fromAsync(usageCsv(open.db, { userId }))).join('');
    const [header, row] = csv.trimEnd().split('\r\n');
    expect(header).toEndWith(
      'prompt_cost,completion_cost,request_cost,cache_read_cost,cache_write_cost,cache_write_1h_cost,reasoning_cost,audio_in_cost,audio_out_cost,image_in_cost,search_cost',
    );
    expect(row).toEndWith('750,900,5000,45,188,150,450,640,640,25,21000');
    expect(header!.split(',')).toHaveLength(row!.split(',').length);
  });

  test('has the cost of what is not counted, such as a call', () => {
    expect(billOf({ promptTokens: 0, completionTokens: 0 }, ',,700', 700)).toEqual([{ part: 'request', cost: 700 }]);
  });

  test('shows the full cost if the balance did not cover it', async () => {
    const { log } = await settled(100, cost);
    expect(log.quota + log.shortfall).toBe(cost);
    expect(log.shortfall).toBeGreaterThan(0);
    expect(log.parts.reduce((sum, part) => sum + part.cost!, 0)).toBe(cost);
  });
});
