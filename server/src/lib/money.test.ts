import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { costOf, type Price, type Usage } from './money.ts';

/** The definition, in whole numbers without bound. */
function definition(price: Price, usage: Usage): number {
  const micro = (usd: number) => BigInt(Math.round(usd * 1_000_000));
  const total =
    micro(price.promptPrice) * BigInt(Math.ceil(usage.promptTokens)) +
    micro(price.completionPrice) * BigInt(Math.ceil(usage.completionTokens)) +
    micro(price.requestPrice) * BigInt(Math.round((usage.units ?? 0) * 1_000_000));
  return Number((total + 1_999_999n) / 2_000_000n);
}

const usd = fc.oneof(
  fc.constant(0),
  fc.double({ min: 0, max: 1e-3, noNaN: true }),
  fc.double({ min: 0, max: 1e5, noNaN: true }),
);
const tokens = fc.oneof(fc.nat(10), fc.nat(200_000), fc.nat(2 ** 31 - 1));

test('a cost is exact to the unit, small or beyond what a double holds', () => {
  fc.assert(
    fc.property(
      usd,
      usd,
      usd,
      tokens,
      tokens,
      fc.double({ min: 0, max: 1e4, noNaN: true }),
      (p, c, r, pt, ct, units) => {
        const price = { promptPrice: p, completionPrice: c, requestPrice: r };
        const usage = { promptTokens: pt, completionTokens: ct, units };
        expect(costOf(price, usage)).toBe(definition(price, usage));
      },
    ),
    { numRuns: 20_000 },
  );
});

test('near the last exact double, one unit above and below a whole quota is told apart', () => {
  // 1 micro-USD per million tokens: the total is the number of tokens, in 1e-12 USD.
  const price = { promptPrice: 0.000001, completionPrice: 0, requestPrice: 0 };
  const whole = Math.floor(Number.MAX_SAFE_INTEGER / 2_000_000) * 2_000_000;
  for (const promptTokens of [whole - 1, whole, whole + 1])
    expect(costOf(price, { promptTokens, completionTokens: 0 })).toBe(
      definition(price, { promptTokens, completionTokens: 0 }),
    );
});
