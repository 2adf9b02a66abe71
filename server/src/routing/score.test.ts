import { describe, expect, test } from 'bun:test';
import { candidateOf, measuredOf } from './candidate.fixture.ts';
import { averagePrice, balancedScore, costScore, defaultWeights, performanceScore, scoreOf } from './score.ts';

describe('performance', () => {
  test('without data: 1.0*0.4 + (1 - 1000/30000)*0.3 + 1*0.1 = 0.4 + 0.29 + 0.1 = 0.79', () => {
    expect(performanceScore(measuredOf(), 0)).toBeCloseTo(0.79, 12);
  });

  test('0.9*0.4 + (1 - 6000/30000)*0.3 + 0.5*0.1 + 15/100 = 0.36 + 0.24 + 0.05 + 0.15 = 0.8', () => {
    const measured = measuredOf({ successRate: 0.9, latencyMs: 6000, qualityScore: 0.5 });
    expect(performanceScore(measured, 15)).toBeCloseTo(0.8, 12);
  });

  test('the priority bonus is at most 0.2: 0.4 + 0.3 + 0.1 + 0.2 = 1 for the best', () => {
    expect(performanceScore(measuredOf({ latencyMs: 0 }), 20)).toBeCloseTo(1, 12);
    expect(performanceScore(measuredOf({ latencyMs: 0 }), 500)).toBeCloseTo(1, 12);
  });

  test('latency beyond 30 s has no further effect: 0.4 + 0 + 0.1 = 0.5', () => {
    expect(performanceScore(measuredOf({ latencyMs: 90_000 }), 0)).toBeCloseTo(0.5, 12);
  });

  test('is never below 0', () => {
    expect(performanceScore(measuredOf({ successRate: 0, latencyMs: 30_000, qualityScore: 0 }), -50)).toBe(0);
  });
});

describe('cost', () => {
  test('avg_price of 3 and 15 is 9', () => {
    expect(averagePrice(candidateOf(1, { price: [3, 15] }))).toBe(9);
  });

  test('(1 - 9/100)*0.6 + 0.8*0.3 + 0.5*0.1 = 0.546 + 0.24 + 0.05 = 0.836', () => {
    expect(costScore(measuredOf({ successRate: 0.8, qualityScore: 0.5 }), 9)).toBeCloseTo(0.836, 12);
  });

  test('a price over 100 counts as 100: 0 + 0.3 + 0.1 = 0.4', () => {
    expect(costScore(measuredOf(), 250)).toBeCloseTo(0.4, 12);
  });
});

describe('balanced', () => {
  test('default weights: 0.79 * 0.7 + 1.0 * 0.2 = 0.753', () => {
    expect(balancedScore(0.79, 1, defaultWeights)).toBeCloseTo(0.753, 12);
  });

  test('weights 1, 1, 2, 0: 0.6 * 2/4 + 0.8 * 2/4 = 0.7', () => {
    expect(balancedScore(0.6, 0.8, { latency: 1, successRate: 1, price: 2, priority: 0 })).toBeCloseTo(0.7, 12);
  });
});

test('the strategy selects the formula, and round-robin scores 1', () => {
  const candidate = candidateOf(1, { price: [3, 15], channel: { priority: 10 } });
  const measured = measuredOf();
  // performance 0.79 + 0.1; cost 0.546 + 0.3 + 0.1; balanced 0.89 * 0.7 + 0.946 * 0.2
  expect(scoreOf('performance', candidate, measured, defaultWeights)).toBeCloseTo(0.89, 12);
  expect(scoreOf('cost', candidate, measured, defaultWeights)).toBeCloseTo(0.946, 12);
  expect(scoreOf('balanced', candidate, measured, defaultWeights)).toBeCloseTo(0.8122, 12);
  expect(scoreOf('round_robin', candidate, measured, defaultWeights)).toBe(1);
});
