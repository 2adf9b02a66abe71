import { describe, expect, test } from 'bun:test';
import { AppError } from '../lib/errors.ts';
import { candidateOf, chooseOf, measuredOf, preferencesOf } from './candidate.fixture.ts';
import type { Candidate } from './candidate.ts';
import { type Choice, choose } from './choose.ts';
import type { CircuitState } from './circuit.ts';

const ids = (choice: Choice): number[] => choice.ordered.map((one) => one.channel.id);

/** Costs of 0, 20, 40 … per million give cost scores 1.0, 0.88, 0.76, … so the order by score is the order of ids. */
const five = [1, 2, 3, 4, 5].map((id) => candidateOf(id, { price: [(id - 1) * 20, (id - 1) * 20] }));
const cost = { override: { strategy: 'cost' as const } };

describe('weighted draw', () => {
  test('weights are the scores of the top 3: 1.0, 0.88, 0.76 of 2.64', () => {
    const at = (random: number) => ids(choose(chooseOf(five, { ...cost, random: () => random })));
    expect(at(0)).toEqual([1, 2, 3, 4, 5]);
    expect(at(0.378)).toEqual([1, 2, 3, 4, 5]); // 1/2.64 = 0.3788
    expect(at(0.379)).toEqual([2, 1, 3, 4, 5]);
    expect(at(0.712)).toEqual([2, 1, 3, 4, 5]); // 1.88/2.64 = 0.7121
    expect(at(0.713)).toEqual([3, 1, 2, 4, 5]);
    expect(at(0.999999)).toEqual([3, 1, 2, 4, 5]);
  });

  test('the reason includes the chance', () => {
    const { reason, strategy } = choose(chooseOf(five, { ...cost, random: () => 0.5 }));
    expect(strategy).toBe('cost');
    expect(reason.how).toBe('drawn');
    expect(reason.among).toBe(3);
    expect(reason.chance).toBeCloseTo(0.88 / 2.64, 12);
  });

  test('30,000 draws are distributed in proportion (chi-squared, 2 degrees of freedom, p = 0.0001)', () => {
    let seed = 12345;
    const random = () => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return seed / 2 ** 32;
    };
    const n = 30_000;
    const seen = new Map<number, number>();
    for (let i = 0; i < n; i++) {
      const id = choose(chooseOf(five, { ...cost, random })).picked.channel.id;
      seen.set(id, (seen.get(id) ?? 0) + 1);
    }
    expect([...seen.keys()].sort()).toEqual([1, 2, 3]);
    let chi = 0;
    for (const [id, weight] of [
      [1, 1],
      [2, 0.88],
      [3, 0.76],
    ] as const) {
      const expected = (n * weight) / 2.64;
      chi += ((seen.get(id) ?? 0) - expected) ** 2 / expected;
    }
    expect(chi).toBeLessThan(18.42);
  });

  test('a score of 0 has a weight of 0.001', () => {
    const bad = candidateOf(1);
    const worst = () => measuredOf({ successRate: 0, latencyMs: 60_000, qualityScore: 0 });
    const request = chooseOf([bad, candidateOf(2)], { measured: worst, override: { strategy: 'performance' } });
    expect(ids(choose({ ...request, random: () => 0.49 }))).toEqual([1, 2]);
    expect(ids(choose({ ...request, random: () => 0.51 }))).toEqual([2, 1]);
  });
});

describe('user preferences', () => {
  test('candidates that do not support a requested feature rank last, but stay in the list', () => {
    const suits = ({ channel }: Candidate) => channel.id > 2;
    expect(ids(choose(chooseOf(five, { ...cost, suits, random: () => 0 })))).toEqual([3, 4, 5, 1, 2]);
    expect(ids(choose(chooseOf(five, { ...cost, suits: () => false, random: () => 0 })))).toEqual([1, 2, 3, 4, 5]);
  });

  test('a preferred provider scores 1.5 times as much: 0.64 * 1.5 = 0.96 exceeds 0.88', () => {
    // Candidate 4 costs 60: (1 - 0.6)*0.6 + 0.3 + 0.1 = 0.64.
    const choice = choose(chooseOf(five, { ...cost, preferences: preferencesOf({ preferredProviders: ['p4'] }) }));
    expect(choice.scored[3]!.score).toBeCloseTo(0.96, 12);
    expect(ids(choice)).toEqual([1, 4, 2, 3, 5]);
  });

  test('a boosted score may exceed 1 and has that weight in the draw', () => {
    const preferences = preferencesOf({ preferredProviders: ['p1'] });
    const choice = choose(chooseOf(five, { ...cost, preferences }));
    expect(choice.reason.chance).toBeCloseTo(1.5 / (1.5 + 0.88 + 0.76), 12);
  });

  test('blocked providers are removed, even when preferred', () => {
    const preferences = preferencesOf({ blockedProviders: ['p1', 'p3'], preferredProviders: ['p1'] });
    const choice = choose(chooseOf(five, { ...cost, preferences }));
    expect(ids(choice)).toEqual([2, 4, 5]);
    expect(choice.scored.map((one) => one.dropped)).toEqual(['blocked', null, 'blocked', null, null]);
  });

  test('max_price is strict and inclusive; 404 if no candidate is left', () => {
    expect(ids(choose(chooseOf(five, { ...cost, preferences: preferencesOf({ maxPrice: 20 }) })))).toEqual([1, 2]);
    const dear = five.slice(1);
    const attempt = () => choose(chooseOf(dear, { preferences: preferencesOf({ maxPrice: 19.99 }) }));
    expect(attempt).toThrow(AppError);
    expect(attempt).toThrow('above the price limit');
    try {
      attempt();
    } catch (error) {
      expect((error as AppError).code).toBe('no_eligible_provider');
      expect((error as AppError).status).toBe(404);
    }
  });

  test('soft limits move violators to the end, from 5 samples on', () => {
    const measuredWith = (samples: number) => (one: Candidate) =>
      one.channel.id === 1 ? measuredOf({ samples, successRate: 0.5 }) : measuredOf({ samples: 100 });
    const preferences = preferencesOf({ minSuccessRate: 0.9 });
    const order = (samples: number) =>
      ids(choose(chooseOf(five.slice(0, 3), { ...cost, preferences, measured: measuredWith(samples) })));
    // With a success rate of 0.5 candidate 1 scores 0.6 + 0.15 + 0.1 = 0.85: second of 0.88, 0.85, 0.76.
    expect(order(4)).toEqual([2, 1, 3]);
    expect(order(5)).toEqual([2, 3, 1]);
  });

  test('a violator of max_latency_ms is not drawn while another candidate meets the limit', () => {
    const measured = (one: Candidate) => measuredOf({ samples: 9, latencyMs: one.channel.id === 2 ? 100 : 5000 });
    const preferences = preferencesOf({ maxLatencyMs: 1000 });
    const request = chooseOf(five, { ...cost, preferences, measured, random: () => 0.99 });
    expect(ids(choose(request))).toEqual([2, 1, 3, 4, 5]);
  });

  test('strategy precedence: request, then user, then model, then balanced', () => {
    const config = {
      defaultStrategy: 'cost' as const,
      weights: { latency: 1, successRate: 1, price: 1, priority: 1 },
    };
    const preferences = preferencesOf({ defaultStrategy: 'performance' });
    expect(choose(chooseOf(five)).strategy).toBe('balanced');
    expect(choose(chooseOf(five, { config })).strategy).toBe('cost');
    expect(choose(chooseOf(five, { config, preferences })).strategy).toBe('performance');
    const override = { strategy: 'round_robin' as const };
    expect(choose(chooseOf(five, { config, preferences, override })).strategy).toBe('round_robin');
  });
});

describe('request override', () => {
  const withOverride = (override: NonNullable<Parameters<typeof chooseOf>[1]>['override'], random = 0) =>
    choose(chooseOf(five, { override, random: () => random }));

  test('order comes first, the rest follow by score', () => {
    expect(ids(withOverride({ order: ['p4', 'nobody', 'p2'] }))).toEqual([4, 2, 1, 3, 5]);
  });

  test('order without fallbacks allows only the named providers', () => {
    expect(ids(withOverride({ order: ['p4', 'p2'], allow_fallbacks: false }))).toEqual([4, 2]);
  });

  test('no fallbacks: only the picked candidate', () => {
    expect(ids(withOverride({ allow_fallbacks: false, strategy: 'cost' }, 0.99))).toEqual([3]);
  });

  test('only and ignore', () => {
    expect(ids(withOverride({ only: ['p3', 'p5'] }))).toEqual([3, 5]);
    expect(ids(withOverride({ ignore: ['p1', 'p2', 'p3'] }))).toEqual([4, 5]);
    expect(() => withOverride({ only: ['nobody'] })).toThrow('not among the providers');
  });

  test('sort orders candidates without a draw', () => {
    const measured = (one: Candidate) =>
      measuredOf({ latencyMs: 600 - one.channel.id * 100, throughput: one.channel.id === 3 ? 50 : null });
    const sorted = (sort: 'price' | 'latency' | 'throughput') =>
      ids(choose(chooseOf(five, { override: { sort }, measured, random: () => 0.99 })));
    expect(sorted('price')).toEqual([1, 2, 3, 4, 5]);
    expect(sorted('latency')).toEqual([5, 4, 3, 2, 1]);
    expect(sorted('throughput')[0]).toBe(3);
  });

  test('max_price of the request replaces the user’s, as one number or by kind', () => {
    const preferences = preferencesOf({ maxPrice: 1 });
    const of = (max_price: number | { prompt?: number; completion?: number }) =>
      ids(choose(chooseOf(five, { preferences, override: { max_price, strategy: 'cost' } })));
    expect(of(40)).toEqual([1, 2, 3]);
    expect(of({ completion: 20 })).toEqual([1, 2]);
  });
});

describe('round-robin', () => {
  const at = (roundRobinCounter: number, circuit?: (key: string) => CircuitState) =>
    ids(
      choose(
        chooseOf(five.slice(0, 3), {
          override: { strategy: 'round_robin' },
          roundRobinCounter,
          random: () => 0.99,
          ...(circuit && { circuit }),
        }),
      ),
    );

  test('the index is counter mod count, and the others follow in order', () => {
    expect([0, 1, 2, 3].map((counter) => at(counter))).toEqual([
      [1, 2, 3],
      [2, 3, 1],
      [3, 1, 2],
      [1, 2, 3],
    ]);
  });

  test('takes turns among closed circuits; a half-open one ranks behind', () => {
    const circuit = (key: string): CircuitState => (key.startsWith('p1|') ? 'half_open' : 'closed');
    expect([0, 1, 2].map((counter) => at(counter, circuit))).toEqual([
      [2, 3, 1],
      [3, 2, 1],
      [2, 3, 1],
    ]);
  });
});

describe('circuits', () => {
  test('half-open circuits rank after all closed ones, open ones last and never drawn', () => {
    const states: Record<string, CircuitState> = { p1: 'open', p2: 'half_open' };
    const circuit = (key: string): CircuitState => states[key.split('|')[0]!] ?? 'closed';
    expect(ids(choose(chooseOf(five, { ...cost, circuit })))).toEqual([3, 4, 5, 2, 1]);
  });

  test('a half-open candidate among the top 3 is drawn, so that it can recover', () => {
    const circuit = (key: string): CircuitState => (key.startsWith('p1|') ? 'half_open' : 'closed');
    const request = chooseOf(five.slice(0, 2), { ...cost, circuit });
    expect(ids(choose({ ...request, random: () => 0.1 }))).toEqual([2, 1]);
    expect(ids(choose({ ...request, random: () => 0.9 }))).toEqual([1, 2]);
  });
});

test('legacy: tiers by priority, open circuits last, blocks and price limits still apply', () => {
  const list = [candidateOf(1), ...[2, 3, 4].map((id) => candidateOf(id, { channel: { priority: 5 } }))];
  const circuit = (key: string): CircuitState => (key.startsWith('p2|') ? 'open' : 'closed');
  const preferences = preferencesOf({ blockedProviders: ['p4'] });
  const choice = choose(chooseOf(list, { legacy: true, circuit, preferences }));
  expect(ids(choice)).toEqual([3, 1, 2]);
  expect(choice.strategy).toBe('legacy');
});
