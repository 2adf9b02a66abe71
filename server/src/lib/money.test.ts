import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { costParts } from './cost-parts.ts';
import {
  completionParts,
  costAtMost,
  costOf,
  isFree,
  type Part,
  type PartRates,
  type Price,
  promptParts,
  type Tier,
  type Usage,
} from './money.ts';

/** The definition, in whole numbers without bound. */
function definition(price: Price, usage: Usage): number {
  const micro = (usd: number) => BigInt(Math.round(usd * 1_000_000));
  const context = Math.ceil(usage.promptTokens);
  const tier = [...(price.tiers ?? [])].sort((a, b) => b.aboveContext - a.aboveContext);
  const reached = tier.find(({ aboveContext }) => context > aboveContext);
  const rates: PartRates = reached ?? price.parts ?? {};
  let total = 0n;
  const bill = (parts: readonly Part[], all: number, rest: number) => {
    let left = all;
    for (const part of parts) {
      const tokens = Math.min(left, Math.ceil(usage[`${part}Tokens`] ?? 0));
      left -= tokens;
      total += micro(rates[part] ?? rest) * BigInt(tokens);
    }
    total += micro(rest) * BigInt(left);
  };
  bill(promptParts, context, reached?.prompt ?? price.promptPrice);
  bill(completionParts, Math.ceil(usage.completionTokens), reached?.completion ?? price.completionPrice);
  const units = BigInt(Math.round((usage.units ?? 0) * 1_000_000));
  total += micro(reached?.request ?? price.requestPrice) * units;
  return Number((total + 1_999_999n) / 2_000_000n);
}

const usd = fc.oneof(
  fc.constant(0),
  fc.double({ min: 0, max: 1e-3, noNaN: true }),
  fc.double({ min: 0, max: 1e5, noNaN: true }),
);
const tokens = fc.oneof(fc.nat(10), fc.nat(200_000), fc.nat(2 ** 31 - 1));
const parts = [...promptParts, ...completionParts];

const plainPrice: fc.Arbitrary<Price> = fc.record({ promptPrice: usd, completionPrice: usd, requestPrice: usd });
const partRates: fc.Arbitrary<PartRates> = fc.record(
  Object.fromEntries(parts.map((part) => [part, usd])) as Record<Part, typeof usd>,
  { requiredKeys: [] },
);
const tierOf = fc
  .tuple(fc.record({ aboveContext: tokens, prompt: usd, completion: usd }), partRates)
  .map(([tier, rates]): Tier => ({ ...rates, ...tier }));
const tiers = fc.uniqueArray(tierOf, { maxLength: 3, selector: ({ aboveContext }) => aboveContext });
const anyPrice: fc.Arbitrary<Price> = fc
  .tuple(plainPrice, fc.option(partRates, { nil: undefined }), fc.option(tiers, { nil: undefined }))
  .map(([price, parts, tiers]) => ({ ...price, parts, tiers }));
const anyUsage: fc.Arbitrary<Usage> = fc.record(
  {
    promptTokens: tokens,
    completionTokens: tokens,
    units: fc.double({ min: 0, max: 1e4, noNaN: true }),
    ...(Object.fromEntries(parts.map((part) => [`${part}Tokens`, tokens])) as Record<`${Part}Tokens`, typeof tokens>),
  },
  { requiredKeys: ['promptTokens', 'completionTokens'] },
);
const runs = { numRuns: 10_000 };
/** Ten thousand cases take a while on a busy machine. */
const patienceMs = 60_000;

test(
  'a cost is exact to the unit, even beyond the range of exact doubles',
  () => {
    fc.assert(
      fc.property(fc.oneof(plainPrice, anyPrice), anyUsage, (price, usage) => {
        expect(costOf(price, usage)).toBe(definition(price, usage));
      }),
      runs,
    );
  },
  patienceMs,
);

test(
  'the parts of a bill add up to it, and none is negative',
  () => {
    fc.assert(
      fc.property(anyPrice, anyUsage, (price, usage) => {
        const costs = costParts(price, usage).map(({ cost }) => cost);
        expect(costs.every((cost) => cost >= 0 && Number.isInteger(cost))).toBe(true);
        const exact = costs.reduce((sum, cost) => sum + BigInt(cost), 0n);
        expect(Number(exact)).toBe(costOf(price, usage));
      }),
      runs,
    );
  },
  patienceMs,
);

test(
  'a cost is a number of at least 0, whatever an upstream reports',
  () => {
    const odd = fc.oneof(fc.double(), fc.constantFrom(Number.NaN, Infinity, -Infinity, -1, 1e308, 0.5), tokens);
    const oddUsage = fc.record(
      Object.fromEntries(
        ['promptTokens', 'completionTokens', 'units', ...parts.map((part) => `${part}Tokens`)].map((name) => [
          name,
          odd,
        ]),
      ),
    ) as unknown as fc.Arbitrary<Usage>;
    fc.assert(
      fc.property(anyPrice, oddUsage, (price, usage) => {
        const cost = costOf(price, usage);
        expect(cost >= 0 && Number.isFinite(cost)).toBe(true);
        for (const part of costParts(price, usage)) expect(part.cost >= 0 && Number.isFinite(part.cost)).toBe(true);
      }),
      runs,
    );
  },
  patienceMs,
);

test(
  'one more token never costs less, while no tier is cheaper than the one below',
  () => {
    const sameParts = fc.tuple(plainPrice, partRates).map(([price, parts]): Price => ({ ...price, parts }));
    fc.assert(
      fc.property(sameParts, anyUsage, fc.constantFrom('promptTokens', 'completionTokens'), (price, usage, name) => {
        // Room for every part, so that the token more is a fresh one.
        const room = { ...usage, promptTokens: 2 ** 36, completionTokens: 2 ** 36 };
        expect(costOf(price, { ...room, [name]: room[name] + 1 })).toBeGreaterThanOrEqual(costOf(price, room));
      }),
      runs,
    );
  },
  patienceMs,
);

test(
  'a part without a rate costs the same as with the rate of its whole',
  () => {
    fc.assert(
      fc.property(plainPrice, tierOf, anyUsage, (price, tier, usage) => {
        const spelled = (prompt: number, completion: number): PartRates => ({
          ...Object.fromEntries(promptParts.map((part) => [part, prompt])),
          ...Object.fromEntries(completionParts.map((part) => [part, completion])),
        });
        const { aboveContext, prompt, completion } = tier;
        const short: Price = { ...price, tiers: [{ aboveContext, prompt, completion }] };
        const long: Price = {
          ...price,
          parts: spelled(price.promptPrice, price.completionPrice),
          tiers: [{ aboveContext, prompt, completion, ...spelled(prompt, completion) }],
        };
        expect(costOf(long, usage)).toBe(costOf(short, usage));
        const bare = { promptTokens: usage.promptTokens, completionTokens: usage.completionTokens, units: usage.units };
        expect(costOf(short, usage)).toBe(costOf(short, bare as Usage));
      }),
      runs,
    );
  },
  patienceMs,
);

test('a tier applies from the first token above its context, to the whole request, and the highest one wins', () => {
  const price: Price = {
    promptPrice: 1,
    completionPrice: 2,
    requestPrice: 0,
    parts: { cacheRead: 0.1 },
    tiers: [
      { aboveContext: 400_000, prompt: 4, completion: 8 },
      { aboveContext: 200_000, prompt: 2, completion: 3, cacheRead: 0.2 },
    ],
  };
  const cost = (promptTokens: number, cacheReadTokens = 0) =>
    costOf(price, { promptTokens, completionTokens: 1_000_000, cacheReadTokens });
  expect(cost(200_000)).toBe(500_000 * (0.2 + 2));
  expect(cost(200_001)).toBe(500_000 * (0.4 + 3) + 1);
  expect(cost(400_000)).toBe(500_000 * (0.8 + 3));
  expect(cost(400_001)).toBe(500_000 * (1.6 + 8) + 2);
  // The context is the whole prompt, cached or not; a tier without a rate for cached tokens charges them as its prompt.
  expect(cost(400_000, 400_000)).toBe(500_000 * (0.08 + 3));
  expect(cost(500_000, 400_000)).toBe(500_000 * (2 + 8));
});

test('parts that exceed the total are capped, and no token is charged twice', () => {
  const price: Price = { promptPrice: 10, completionPrice: 10, requestPrice: 0, parts: { cacheRead: 1, audioIn: 100 } };
  const usage = { promptTokens: 1_000_000, completionTokens: 0, cacheReadTokens: 700_000, audioInTokens: 800_000 };
  expect(costOf(price, usage)).toBe(500_000 * (0.7 + 30));
  expect(costOf(price, { ...usage, cacheReadTokens: 9_000_000 })).toBe(500_000);
});

test(
  'a hold at the most expensive rates covers the cost of any usage of that many tokens',
  () => {
    fc.assert(
      fc.property(anyPrice, anyUsage, fc.double({ min: 0, max: 1, noNaN: true }), (price, usage, share) => {
        const { promptTokens, completionTokens, units = 0 } = usage;
        // Bounds exceed what is used, and a shorter prompt may be one of a tier with higher prices.
        const shorter = { ...usage, promptTokens: Math.floor(promptTokens * share) };
        const most = costAtMost(
          price,
          { promptTokens, completionTokens, units },
          { mayWriteCache: true, hasAudio: true, hasImages: true },
        );
        expect(most).toBeGreaterThanOrEqual(costOf(price, usage));
        expect(most).toBeGreaterThanOrEqual(costOf(price, shorter));
      }),
      runs,
    );
  },
  patienceMs,
);

test('a hold includes expensive parts only if the request uses them', () => {
  const price: Price = {
    promptPrice: 1,
    completionPrice: 4,
    requestPrice: 0,
    parts: { cacheRead: 0.1, cacheWrite: 1.25, cacheWrite1h: 2, audioIn: 32, audioOut: 64, imageIn: 5 },
  };
  const usage = { promptTokens: 1_000_000, completionTokens: 1_000_000 };
  expect(costAtMost(price, usage)).toBe(500_000 * 5.25);
  expect(costAtMost(price, usage, { mayWriteCache: true })).toBe(500_000 * 6);
  expect(costAtMost(price, usage, { hasImages: true })).toBe(500_000 * 9);
  expect(costAtMost(price, usage, { hasAudio: true })).toBe(500_000 * 96);
});

test('a model is free if none of its parts and tiers costs anything', () => {
  const free = { promptPrice: 0, completionPrice: 0, requestPrice: 0 };
  expect(isFree(free)).toBe(true);
  expect(isFree({ ...free, parts: { cacheRead: 0 }, tiers: [{ aboveContext: 9, prompt: 0, completion: 0 }] })).toBe(
    true,
  );
  expect(isFree({ ...free, parts: { audioIn: 1 } })).toBe(false);
  expect(isFree({ ...free, tiers: [{ aboveContext: 9, prompt: 1, completion: 0 }] })).toBe(false);
});

test('rounding is exact next to the largest exact double', () => {
  // 1 micro-USD per million tokens: the total is the number of tokens, in 1e-12 USD.
  const price = { promptPrice: 0.000001, completionPrice: 0, requestPrice: 0 };
  const last = Math.floor(Number.MAX_SAFE_INTEGER / 2_000_000) * 2_000_000;
  for (const promptTokens of [last - 1, last, last + 1])
    expect(costOf(price, { promptTokens, completionTokens: 0 })).toBe(
      definition(price, { promptTokens, completionTokens: 0 }),
    );
});
