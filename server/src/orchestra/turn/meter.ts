import type { Usage } from '../../lib/money.ts';
import type { Failover } from '../task/failover.ts';

/** Counts the model calls of a turn. */
export interface Meter {
  calls: number;
  models: Record<string, number>;
  promptTokens: number;
  completionTokens: number;
  failovers: Failover[];
  note(model: string, usage: Usage): void;
}

export function newMeter(): Meter {
  const meter: Meter = {
    calls: 0,
    models: {},
    promptTokens: 0,
    completionTokens: 0,
    failovers: [],
    note(model, usage) {
      meter.calls += 1;
      meter.models[model] = (meter.models[model] ?? 0) + 1;
      meter.promptTokens += usage.promptTokens;
      meter.completionTokens += usage.completionTokens;
    },
  };
  return meter;
}
