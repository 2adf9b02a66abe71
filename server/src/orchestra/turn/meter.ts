import type { Usage } from '../../lib/money.ts';
import type { Failover } from '../task/failover.ts';

/** Counts the model calls of a turn. */
export interface Meter {
  calls: number;
  models: Record<string, number>;
  promptTokens: number;
  completionTokens: number;
  /** Charged so far, in quota. */
  cost: number;
  /** Calls besides the main work: made in parallel with it, or after the answer. */
  background: number;
  failovers: Failover[];
  note(model: string, usage: Usage, cost?: number): void;
}

export function newMeter(): Meter {
  const meter: Meter = {
    calls: 0,
    models: {},
    promptTokens: 0,
    completionTokens: 0,
    cost: 0,
    background: 0,
    failovers: [],
    note(model, usage, cost = 0) {
      meter.cost += cost;
      meter.calls += 1;
      meter.models[model] = (meter.models[model] ?? 0) + 1;
      meter.promptTokens += usage.promptTokens;
      meter.completionTokens += usage.completionTokens;
    },
  };
  return meter;
}
