import { describe, expect, test } from 'bun:test';
import {
  balancedScore as served,
  costScore as servedCost,
  performanceScore as servedPerformance,
} from '../../../../server/src/routing/score.ts';
import { balancedScore, costScore, explainWeights, type Measured, performanceScore, scoreBy } from './scores.ts';

const weights = { latency: 0.3, success: 0.4, price: 0.2, priority: 0.1 };
const cases: Measured[] = [
  { successRate: 1, latencyMs: 1_000, quality: 1, price: 0, priority: 0 },
  { successRate: 0.5, latencyMs: 40_000, quality: 0.2, price: 150, priority: 90 },
  { successRate: 0.97, latencyMs: 2_345, quality: 0.8, price: 7.5, priority: 5 },
];

describe('the preview computes the same scores as the server', () => {
  test.each(cases)('%p', (one) => {
    const measured = {
      samples: 10,
      successRate: one.successRate,
      latencyMs: one.latencyMs,
      qualityScore: one.quality,
      throughput: null,
    };
    const performance = servedPerformance(measured, one.priority);
    const cost = servedCost(measured, one.price);
    expect(performanceScore(one)).toBeCloseTo(performance, 12);
    expect(costScore(one)).toBeCloseTo(cost, 12);
    const served4 = { latency: 0.3, successRate: 0.4, price: 0.2, priority: 0.1 };
    expect(balancedScore(one, weights)).toBeCloseTo(served(performance, cost, served4), 12);
  });
});

test('round robin has equal scores; the weights are explained in words', () => {
  expect(scoreBy('round_robin', cases[0]!, weights)).toBe(1);
  expect(scoreBy('cost', cases[0]!, weights)).toBe(costScore(cases[0]!));
  expect(explainWeights(weights)).toContain('counts 70 %, the cost score 20 %.');
  expect(explainWeights({ latency: 0, success: 0, price: 0, priority: 0 })).toContain('above zero');
});
