import type { Breaker } from './breaker.ts';
import type { Candidate } from './candidate.ts';
import type { CircuitState } from './circuit.ts';
import { circuitOf } from './keyed-candidates.ts';
import type { Metrics } from './metrics.ts';
import { unmeasured } from './score.ts';

/** How a candidate performed in the last hour. */
export interface Health {
  circuit: CircuitState;
  /** Successes and failures; 0: nothing was measured and the rate is the default. */
  samples: number;
  successRate: number;
  latencyP50Ms: number | null;
  ttftP50Ms: number | null;
  /** Completion tokens per second. */
  throughput: number | null;
}

export function healthOf({ breaker, metrics }: { breaker: Breaker; metrics: Metrics }, candidate: Candidate): Health {
  const known = metrics.snapshot(candidate.key);
  return {
    circuit: circuitOf(candidate, (key) => breaker.state(key), undefined),
    samples: known?.samples ?? 0,
    successRate: known?.successRate ?? unmeasured.successRate,
    latencyP50Ms: known?.hour.p50Ms ?? null,
    ttftP50Ms: known?.hour.ttftP50Ms ?? null,
    throughput: known?.throughput ?? null,
  };
}

const bestFirst: readonly CircuitState[] = ['closed', 'half_open', 'open'];

/**
 * The health of a model over all its providers: routing avoids open circuits, so the best ones count. Null if no
 * provider serves it.
 */
export function sharedHealth(of: readonly Health[]): Pick<Health, 'circuit' | 'samples' | 'successRate'> | null {
  const circuit = bestFirst.find((state) => of.some((one) => one.circuit === state));
  if (circuit === undefined) return null;
  const asked = of.filter((one) => one.circuit === circuit);
  const samples = asked.reduce((sum, one) => sum + one.samples, 0);
  const successes = asked.reduce((sum, one) => sum + one.samples * one.successRate, 0);
  return { circuit, samples, successRate: samples === 0 ? unmeasured.successRate : successes / samples };
}
