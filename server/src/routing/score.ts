import type { Candidate } from './candidate.ts';

export const strategies = ['performance', 'cost', 'balanced', 'round_robin'] as const;
export type Strategy = (typeof strategies)[number];

/** Measurements of a candidate from the last aggregation. */
export interface Measured {
  /** Successes and failures of the last hour. */
  samples: number;
  successRate: number;
  latencyMs: number;
  qualityScore: number;
  /** Completion tokens per second; null without data. */
  throughput: number | null;
}

export interface Weights {
  latency: number;
  successRate: number;
  price: number;
  priority: number;
}

export const defaultWeights: Weights = { latency: 0.3, successRate: 0.4, price: 0.2, priority: 0.1 };

/** What is assumed until something was measured. */
export const unmeasured = { successRate: 1, latencyMs: 1000 } as const;

const slowestMs = 30_000;
const maxPrice = 100;
const largestBonus = 0.2;

const clamp = (value: number): number => (value > 0 ? (value < 1 ? value : 1) : 0);

export const averagePrice = (candidate: Candidate): number =>
  (candidate.price.promptPrice + candidate.price.completionPrice) / 2;

export function performanceScore(measured: Measured, priority: number): number {
  const latencyScore = clamp(1 - measured.latencyMs / slowestMs);
  const bonus = Math.min(priority / 100, largestBonus);
  return clamp(measured.successRate * 0.4 + latencyScore * 0.3 + measured.qualityScore * 0.1 + bonus);
}

export function costScore(measured: Measured, avgPrice: number): number {
  const priceScore = clamp(1 - avgPrice / maxPrice);
  return clamp(priceScore * 0.6 + measured.successRate * 0.3 + measured.qualityScore * 0.1);
}

export function balancedScore(performance: number, cost: number, weights: Weights): number {
  const total = weights.latency + weights.successRate + weights.price + weights.priority;
  return clamp((performance * (weights.latency + weights.successRate) + cost * weights.price) / total);
}

export function scoreOf(strategy: Strategy, candidate: Candidate, measured: Measured, weights: Weights): number {
  switch (strategy) {
    case 'performance':
      return performanceScore(measured, candidate.channel.priority);
    case 'cost':
      return costScore(measured, averagePrice(candidate));
    case 'balanced':
      return balancedScore(
        performanceScore(measured, candidate.channel.priority),
        costScore(measured, averagePrice(candidate)),
        weights,
      );
    case 'round_robin':
      return 1;
  }
}
