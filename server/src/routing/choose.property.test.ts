import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../lib/errors.ts';
import { candidateOf, chooseOf, measuredOf, preferencesOf } from './candidate.fixture.ts';
import type { Candidate } from './candidate.ts';
import { choose } from './choose.ts';
import type { CircuitState } from './circuit.ts';

test('the list is a permutation of the eligible candidates, without blocked ones, open ones last', () => {
  const arbitrary = fc.record({
    candidates: fc.array(
      fc.record({
        provider: fc.constantFrom('a', 'b', 'c', 'd'),
        price: fc.tuple(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 200 })),
        priority: fc.integer({ min: -10, max: 60 }),
        circuit: fc.constantFrom<CircuitState>('closed', 'half_open', 'open'),
        samples: fc.integer({ min: 0, max: 10 }),
        successRate: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      { minLength: 1, maxLength: 12 },
    ),
    blocked: fc.subarray(['a', 'b', 'c', 'd']),
    preferred: fc.subarray(['a', 'b', 'c', 'd']),
    maxPrice: fc.option(fc.integer({ min: 0, max: 200 })),
    minSuccessRate: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    strategy: fc.constantFrom('performance' as const, 'cost' as const, 'balanced' as const, 'round_robin' as const),
    order: fc.option(fc.subarray(['a', 'b', 'c', 'd'])),
    random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    counter: fc.nat(),
  });
  fc.assert(
    fc.property(arbitrary, (given) => {
      const candidates = given.candidates.map((one, index) =>
        candidateOf(index + 1, { price: one.price, channel: { provider: one.provider, priority: one.priority } }),
      );
      const of = (one: Candidate) => given.candidates[one.channel.id - 1]!;
      const circuit = (key: string) => given.candidates[Number(key.split('|')[2]) - 1]!.circuit;
      const eligible = candidates.filter(
        (one) =>
          !given.blocked.includes(one.channel.provider) &&
          (given.maxPrice === null || (of(one).price[0] + of(one).price[1]) / 2 <= given.maxPrice),
      );
      const run = () =>
        choose(
          chooseOf(candidates, {
            circuit,
            measured: (one) => measuredOf({ samples: of(one).samples, successRate: of(one).successRate }),
            preferences: preferencesOf({
              blockedProviders: given.blocked,
              preferredProviders: given.preferred,
              maxPrice: given.maxPrice,
              minSuccessRate: given.minSuccessRate,
            }),
            override: { strategy: given.strategy, ...(given.order && { order: given.order }) },
            random: () => given.random,
            roundRobinCounter: given.counter,
          }),
        );
      if (eligible.length === 0) {
        expect(run).toThrow(AppError);
        return;
      }
      const choice = run();
      expect(choice.picked).toBe(choice.ordered[0]!);
      expect(choice.ordered.map((one) => one.channel.id).sort((a, b) => a - b)).toEqual(
        eligible.map((one) => one.channel.id),
      );
      const opens = choice.ordered.map((one) => circuit(one.key) === 'open');
      expect(opens).toEqual([...opens].sort((a, b) => Number(a) - Number(b)));
    }),
    { numRuns: 500 },
  );
});
