/** Copies of the service's scoring formulas, to preview a change of weights before saving it. */
import { t } from '../../language/words.ts';

export interface Weights {
  latency: number;
  success: number;
  price: number;
  priority: number;
}

export interface Measured {
  successRate: number;
  latencyMs: number;
  quality: number;
  /** Average of prompt and completion, USD per million tokens. */
  price: number;
  /** Priority of the channel. */
  priority: number;
}

const clamp = (value: number): number => Math.min(Math.max(value, 0), 1);

export const performanceScore = ({ successRate, latencyMs, quality, priority }: Measured): number =>
  clamp(successRate * 0.4 + clamp(1 - latencyMs / 30_000) * 0.3 + quality * 0.1 + Math.min(priority / 100, 0.2));

export const costScore = ({ price, successRate, quality }: Measured): number =>
  clamp(clamp(1 - price / 100) * 0.6 + successRate * 0.3 + quality * 0.1);

export const totalOf = ({ latency, success, price, priority }: Weights): number => latency + success + price + priority;

export function balancedScore(measured: Measured, weights: Weights): number {
  const { latency, success, price } = weights;
  const sum = performanceScore(measured) * (latency + success) + costScore(measured) * price;
  return clamp(sum / totalOf(weights));
}

export function scoreBy(strategy: string, measured: Measured, weights: Weights): number {
  if (strategy === 'performance') return performanceScore(measured);
  if (strategy === 'cost') return costScore(measured);
  return strategy === 'round_robin' ? 1 : balancedScore(measured, weights);
}

const percent = (part: number, whole: number): number => Math.round((part / whole) * 100);

/** Explains the weights in a sentence. */
export function explainWeights(weights: Weights): string {
  const total = totalOf(weights);
  if (!(total > 0)) return t('At least one weight must be above zero.');
  const shares = {
    performance: percent(weights.latency + weights.success, total),
    price: percent(weights.price, total),
  };
  if (!(weights.priority > 0))
    return t(
      'The performance score (success, speed, quality, channel priority) counts {performance} %, the cost score {price} %.',
      shares,
    );
  return t(
    'The performance score (success, speed, quality, channel priority) counts {performance} %, the cost score {price} %. The remaining {priority} % lowers all scores equally.',
    { ...shares, priority: percent(weights.priority, total) },
  );
}
